//! Shared values as plain data: written as what they share.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) fn serialize<T, S>(shared: &Arc<T>, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Serialize + ?Sized,
    S: Serializer,
{
    T::serialize(shared, serializer)
}

pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<Arc<T>, D::Error>
where
    T: ?Sized,
    Box<T>: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Box::<T>::deserialize(deserializer).map(Arc::from)
}
