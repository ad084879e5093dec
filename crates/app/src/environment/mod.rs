//! The machine and the program around a session: paths, installed agents, the terminal, exit statuses.

pub mod agent_process;
pub mod console;
pub mod hook_environment;
pub mod installed_agents;
pub mod place;
pub mod saved_layout;
#[cfg(unix)]
pub mod signals;
