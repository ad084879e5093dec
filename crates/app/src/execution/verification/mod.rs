//! Verifications: copies the project and the user's settings, and runs the installed agent on the copies.
//!
//! | file | content |
//! |---|---|
//! | `mirror` | paths of the user and their copies |
//! | `place` | the copies, and what the agent sees of the machine |
//! | `settings` | the copied settings, with recorded hooks |
//! | `agent_run` | the session |

mod agent_run;
mod mirror;
mod place;
mod settings;

use std::time::Duration;

use crate::disk::copy_size::CopyStop;
use crate::environment::agent_process::{AgentCache, isolation_refusal};
use crate::environment::installed_agents::find_program;
use crate::verification::VerificationRequest;
use hookbench_core::verification::VerifiedSession;
use place::VerificationPlace;

/// The time in which an agent must unpack itself.
const UNPACK_LIMIT: Duration = Duration::from_secs(60);

/// Runs a session of the installed agent in which the event of the request is fired. Dropping the future ends every
/// process that it has started. `timeout_scale` multiplies the time limit of the session; `prepared` is called when the
/// project is copied.
///
/// # Errors
/// Returns the reason if the session is missing or shows nothing.
pub async fn run_verification(
    request: VerificationRequest,
    timeout_scale: f64,
    prepared: &mut (dyn FnMut() + Send),
) -> Result<VerifiedSession, String> {
    let name = request.dialect.name();
    let hint = request.dialect.install();
    let program = find_program(&hint, &request.place)
        .ok_or_else(|| format!("{name} is not installed: {} is not on PATH", hint.command))?;
    let isolation = isolation_refusal().await;
    if let (Some(why), false, false) = (&isolation, request.script.is_harmless, request.insists) {
        let tool = request.script.tool.as_deref().unwrap_or("the tool");
        return Err(format!(
            "{tool} would really run in {name}, and this system cannot isolate it ({why}); --verify-anyway runs it in a \
             copy of the project, with your rights and the network"
        ));
    }
    let isolated = isolation.is_none();
    let cache = AgentCache::prepare(request.dialect, program.version.as_ref());
    if let Some(cache) = &cache {
        cache.fill(&program.command, isolated, UNPACK_LIMIT.mul_f64(timeout_scale)).await;
    }
    let stop = CopyStop::new();
    let _stopping = stop.on_drop();
    let (request, place) = tokio::task::spawn_blocking(move || {
        let place = VerificationPlace::create(&request, &program, isolated, cache.as_ref(), &stop);
        (request, place)
    })
    .await
    .map_err(|_| "the copy of the project was lost".to_owned())?;
    let place = place?;
    prepared();
    agent_run::run(&request, &place, timeout_scale).await
}
