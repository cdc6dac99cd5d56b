//! Someone who looks after one worker process: asks, listens, and starts another when it hangs or dies.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::finding::{Finding, Oracle};
use super::worker::{Ended, Reply, Request};
use crate::chores::WITH_METHODS;

/// How a worker is called in the build that has it.
pub(crate) const WORKER: &str = "fuzz-worker";

/// Time by the clock after which a worker that says nothing is ended. Long: a worker that can be told to stop is
/// told by itself, much earlier.
const SILENCE: Duration = Duration::from_mins(2);

/// How much of what a worker says before it dies is kept.
const LAST_WORDS: usize = 4096;

/// Someone who looks after one worker process.
pub(crate) struct Attendant {
    seed: u64,
    worker: Option<Worker>,
}

struct Worker {
    process: Child,
    requests: ChildStdin,
    replies: Receiver<String>,
    last_words: Arc<Mutex<String>>,
}

impl Attendant {
    /// Nobody to look after yet.
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, worker: None }
    }

    /// Asks for something and tells what comes of each case. A case that ends its worker ends the request, too;
    /// the next one gets another worker.
    pub(crate) fn ask(
        &mut self,
        request: &Request,
        mut heard: impl FnMut(u64, Ended),
    ) -> Result<(), String> {
        let seed = self.seed;
        let worker = match &mut self.worker {
            Some(worker) => worker,
            none => none.insert(Worker::start(seed)?),
        };
        let line = serde_json::to_string(request).map_err(|error| error.to_string())?;
        writeln!(worker.requests, "{line}").map_err(|error| format!("no worker: {error}"))?;
        let mut current = None;
        loop {
            match worker.replies.recv_timeout(SILENCE) {
                Ok(line) => match serde_json::from_str(&line) {
                    Ok(Reply::Begins(case)) => current = Some(case),
                    Ok(Reply::Ended(ended)) => heard(current.take().unwrap_or_default(), ended),
                    Ok(Reply::Idle(done)) => return done,
                    Err(error) => return Err(format!("a worker said `{line}`: {error}")),
                },
                Err(reason) => {
                    let found = worker.end(reason);
                    self.worker = None;
                    let case = current.ok_or_else(|| format!("a worker ended: {found}"))?;
                    let ended = Ended {
                        outcome: Err(found),
                        seconds: 0.0,
                        n_bytes: 0,
                    };
                    heard(case, ended);
                    return Ok(());
                }
            }
        }
    }
}

impl Worker {
    fn start(seed: u64) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut process = Command::new(program)
            .args([WITH_METHODS, WORKER, &seed.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start a worker: {error}"))?;
        let requests = process.stdin.take().ok_or("a worker without ears")?;
        let out = process.stdout.take().ok_or("a worker without a voice")?;
        let talk = process.stderr.take().ok_or("a worker without a voice")?;
        let (sender, replies) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let last_words = Arc::new(Mutex::new(String::new()));
        let words = Arc::clone(&last_words);
        std::thread::spawn(move || keep_last(talk, &words));
        Ok(Self {
            process,
            requests,
            replies,
            last_words,
        })
    }

    /// Ends a worker that hangs or is dead, and says what that means.
    fn end(&mut self, reason: RecvTimeoutError) -> Finding {
        if reason == RecvTimeoutError::Timeout {
            let _ = self.process.kill();
            let _ = self.process.wait();
            let seconds = SILENCE.as_secs();
            let message = format!("did not stop when told, and was ended after {seconds} seconds");
            return Finding::new(Oracle::Time, message);
        }
        let status = self.process.wait();
        let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
        // Its last words may still be on their way.
        std::thread::sleep(Duration::from_millis(100));
        let words = self.last_words.lock();
        let words = words.unwrap_or_else(PoisonError::into_inner);
        let oracle = if words.contains("memory allocation of") {
            Oracle::Memory
        } else {
            Oracle::Crash
        };
        Finding::new(oracle, format!("the process ended ({status})\n{words}"))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn keep_last(mut talk: impl Read, words: &Mutex<String>) {
    let mut buffer = [0; 1024];
    while let Ok(n) = talk.read(&mut buffer)
        && n > 0
    {
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        words.push_str(&String::from_utf8_lossy(&buffer[..n]));
        if words.len() > LAST_WORDS {
            let kept: Vec<char> = words.chars().rev().take(LAST_WORDS / 2).collect();
            *words = kept.into_iter().rev().collect();
        }
    }
}
