//! `sinew docs`: definitions for editors and the API reference, from the API table.

use anyhow::Context as _;

use crate::{
    Failure,
    cli::DocsArgs,
    project::project_here,
    run::{say, shown},
};

/// Writes the definitions and the reference into a project, or into a folder laid out like one.
pub(crate) fn docs(args: &DocsArgs) -> Result<(), Failure> {
    let out = args.out.clone().or_else(project_here);
    let out = out.context("there is no project here: name a folder with `--out DIR`")?;
    for (path, text) in sinew_script::documents() {
        let file = out.join(path);
        let written = file
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&file, text));
        written.with_context(|| format!("cannot write `{}`", shown(&file)))?;
        say(&format!("wrote {}", shown(&file)))?;
    }
    Ok(())
}
