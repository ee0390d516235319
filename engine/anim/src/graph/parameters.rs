//! Setting and reading parameters.

use super::compiled::Graph;
use super::def::ParameterKind;
use super::state::{GraphState, ParameterError, ParameterState, ParameterValue, kind_name};

impl GraphState {
    /// Sets a float parameter, clamped to its range.
    ///
    /// # Errors
    /// Not such a parameter, or not a finite number.
    pub fn set_float(
        &mut self,
        graph: &Graph,
        parameter: u16,
        value: f32,
    ) -> Result<(), ParameterError> {
        let definition = checked(graph, parameter, ParameterKind::Float)?;
        if !value.is_finite() {
            let name = definition.name.clone();
            return Err(ParameterError::NotFinite { name });
        }
        let low = definition.min.unwrap_or(f32::NEG_INFINITY);
        let high = definition.max.unwrap_or(f32::INFINITY);
        self.set(parameter, ParameterValue::Float(value.max(low).min(high)));
        Ok(())
    }

    /// Sets an int parameter, clamped to its range.
    ///
    /// # Errors
    /// Not such a parameter.
    pub fn set_int(
        &mut self,
        graph: &Graph,
        parameter: u16,
        value: i32,
    ) -> Result<(), ParameterError> {
        let definition = checked(graph, parameter, ParameterKind::Int)?;
        let low = definition.min.map_or(i32::MIN, |min| min as i32);
        let high = definition.max.map_or(i32::MAX, |max| max as i32);
        self.set(parameter, ParameterValue::Int(value.max(low).min(high)));
        Ok(())
    }

    /// Sets a bool parameter.
    ///
    /// # Errors
    /// Not such a parameter.
    pub fn set_bool(
        &mut self,
        graph: &Graph,
        parameter: u16,
        value: bool,
    ) -> Result<(), ParameterError> {
        checked(graph, parameter, ParameterKind::Bool)?;
        self.set(parameter, ParameterValue::Bool(value));
        Ok(())
    }

    /// Sets a trigger. It is cleared at the end of the step in which a transition that tests it
    /// starts, or when its time is over.
    ///
    /// # Errors
    /// Not such a parameter.
    pub fn set_trigger(&mut self, graph: &Graph, parameter: u16) -> Result<(), ParameterError> {
        let definition = checked(graph, parameter, ParameterKind::Trigger)?;
        self.parameters[usize::from(parameter)] = ParameterState {
            value: ParameterValue::Trigger(true),
            seconds_left: definition.ttl.map_or(0.0, f64::from),
        };
        Ok(())
    }

    /// Clears a trigger.
    ///
    /// # Errors
    /// Not such a parameter.
    pub fn reset_trigger(&mut self, graph: &Graph, parameter: u16) -> Result<(), ParameterError> {
        checked(graph, parameter, ParameterKind::Trigger)?;
        self.set(parameter, ParameterValue::Trigger(false));
        Ok(())
    }

    /// The value of a parameter; `Float(0.0)` for an index that the graph does not have.
    pub fn value(&self, parameter: u16) -> ParameterValue {
        let found = self.parameters.get(usize::from(parameter));
        found.map_or(ParameterValue::Float(0.0), |parameter| parameter.value)
    }

    fn set(&mut self, parameter: u16, value: ParameterValue) {
        if let Some(parameter) = self.parameters.get_mut(usize::from(parameter)) {
            parameter.value = value;
        }
    }
}

fn checked(
    graph: &Graph,
    index: u16,
    asked: ParameterKind,
) -> Result<&super::compiled::Parameter, ParameterError> {
    let parameter = graph.parameters.get(usize::from(index));
    let parameter = parameter.ok_or(ParameterError::Unknown(index))?;
    if parameter.kind == asked {
        return Ok(parameter);
    }
    Err(ParameterError::Kind {
        name: parameter.name.clone(),
        is: parameter.kind,
        asked,
    })
}

impl ParameterValue {
    /// "float", "int", "bool" or "trigger".
    pub fn kind_name(self) -> &'static str {
        kind_name(match self {
            Self::Float(_) => ParameterKind::Float,
            Self::Int(_) => ParameterKind::Int,
            Self::Bool(_) => ParameterKind::Bool,
            Self::Trigger(_) => ParameterKind::Trigger,
        })
    }
}
