//! Who is let in.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use arrow_flight::Ticket;
use arrow_flight::flight_service_client::FlightServiceClient;
use ballista_core::serde::protobuf::executor_grpc_client::ExecutorGrpcClient;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{CancelTasksParams, GetJobStatusParams};
use bauta_cluster::{ClusterError, CredentialFiles, Credentials, VERSION, connect};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tokio::runtime::Runtime;
use tonic::service::{InterceptorLayer, Routes};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Server};
use tonic::{Code, Request, Status};

use crate::support::{
    COUNTS, Part, Parts, address, answer_here, ask, own_file, parts, refused, secret, wait, words,
};

/// An authority, and a certificate of it for this machine.
fn certificates(folder: &Path, name: &str) -> CredentialFiles {
    let mut authority = CertificateParams::new(Vec::<String>::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.distinguished_name.push(DnType::CommonName, name);
    let authority_key = KeyPair::generate().unwrap();
    let authority_pem = authority.self_signed(&authority_key).unwrap().pem();
    let key = KeyPair::generate().unwrap();
    let ours =
        CertificateParams::new(vec!["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
    let certificate = ours
        .signed_by(&key, &Issuer::from_params(&authority, &authority_key))
        .unwrap();
    let file =
        |kind: &str, text: &str| Some(own_file(folder.join(format!("{name}-{kind}.pem")), text));
    CredentialFiles {
        certificate: file("certificate", &certificate.pem()),
        key: file("key", &key.serialize_pem()),
        authority: file("authority", &authority_pem),
        ..secret(folder, "secret")
    }
}

/// Calls every service of a scheduler and an executor by hand.
async fn codes(scheduler: Channel, executor: Channel) -> [Code; 3] {
    let status = GetJobStatusParams {
        job_id: "1".to_owned(),
    };
    let jobs = SchedulerGrpcClient::new(scheduler)
        .get_job_status(status)
        .await;
    let tasks = ExecutorGrpcClient::new(executor.clone())
        .cancel_tasks(CancelTasksParams::default())
        .await;
    let shuffle = FlightServiceClient::new(executor)
        .do_get(Ticket::new("x"))
        .await;
    let code = |status: Option<Status>| status.map_or(Code::Ok, |status| status.code());
    [code(jobs.err()), code(tasks.err()), code(shuffle.err())]
}

fn by_hand(cluster: &Parts, shown: &str) -> [Code; 3] {
    let way = |part: &Part| {
        let endpoint = Endpoint::from_shared(format!("http://{}", part.address)).unwrap();
        endpoint.user_agent(shown).unwrap()
    };
    Runtime::new().unwrap().block_on(async {
        let scheduler = way(&cluster.scheduler).connect().await.unwrap();
        let executor = way(&cluster.executors[0]).connect().await.unwrap();
        codes(scheduler, executor).await
    })
}

#[test]
fn every_port_asks_for_the_secret() {
    let folder = tempfile::tempdir().unwrap();
    let files = secret(folder.path(), "secret");
    let wrong = secret(folder.path(), "wrong");
    let cluster = Parts::with(1, folder, files);
    for files in [&CredentialFiles::default(), &wrong] {
        let error = cluster.connect_with(files).unwrap_err();
        assert!(matches!(error, ClusterError::Secret { .. }), "{error}");
    }
    let guessed = format!("bauta/{VERSION} {}", "0".repeat(64));
    for shown in ["stranger", &format!("bauta/{VERSION} -"), &guessed] {
        assert_eq!(
            by_hand(&cluster, shown),
            [Code::Unauthenticated; 3],
            "{shown}"
        );
    }
    let mut wrong_executor = words("executor --work");
    wrong_executor.push(cluster.folder.path().join("other").display().to_string());
    wrong_executor.extend([
        "--scheduler".to_owned(),
        cluster.scheduler.address.to_string(),
    ]);
    wrong_executor.extend([
        "--secret".to_owned(),
        wrong.secret.as_ref().unwrap().display().to_string(),
    ]);
    let (code, said) = refused(&wrong_executor);
    assert_eq!(code, Some(2));
    assert!(said.contains("refuses the secret"), "{said}");

    let data = parts(cluster.folder.path(), 3, 1_000);
    let context = cluster.connect().unwrap().context();
    assert_eq!(
        wait(ask(&context, &data, COUNTS)).unwrap(),
        answer_here(&data, COUNTS)
    );
}

#[test]
fn another_version_is_refused_on_every_port() {
    let cluster = Parts::new(1);
    assert_eq!(
        by_hand(&cluster, "bauta/9.9.9 -"),
        [Code::FailedPrecondition; 3]
    );
    assert!(
        by_hand(&cluster, &format!("bauta/{VERSION} -"))
            .iter()
            .all(|code| *code != Code::FailedPrecondition)
    );
}

#[test]
fn a_scheduler_of_another_version_is_told() {
    let runtime = Runtime::new().unwrap();
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .unwrap();
    let other = address(listener.local_addr().unwrap());
    let refuse = |_: Request<()>| -> Result<Request<()>, Status> {
        Err(Status::failed_precondition("9.9.9"))
    };
    runtime.spawn(async move {
        let mut server = Server::builder().layer(InterceptorLayer::new(refuse));
        let incoming = tonic::transport::server::TcpIncoming::from(listener);
        server
            .add_routes(Routes::default())
            .serve_with_incoming(incoming)
            .await
    });
    let error = connect(&other, &Credentials::default()).unwrap_err();
    assert!(
        matches!(&error, ClusterError::Version { theirs, .. } if theirs == "9.9.9"),
        "{error}"
    );
    runtime.shutdown_background();
}

#[test]
fn certificates_of_one_authority_work_and_others_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let files = certificates(folder.path(), "ours");
    let others = certificates(folder.path(), "others");
    let cluster = Parts::with(2, folder, files.clone());

    let data = parts(cluster.folder.path(), 4, 2_000);
    let context = cluster.connect().unwrap().context();
    assert_eq!(
        wait(ask(&context, &data, COUNTS)).unwrap(),
        answer_here(&data, COUNTS)
    );

    // A certificate of another authority, with and without knowing ours.
    let forged = CredentialFiles {
        authority: files.authority.clone(),
        ..others.clone()
    };
    for files in [&others, &forged] {
        let error = cluster.connect_with(files).unwrap_err();
        assert!(matches!(error, ClusterError::Certificate { .. }), "{error}");
    }
    let plain = CredentialFiles {
        secret: files.secret.clone(),
        ..CredentialFiles::default()
    };
    let error = cluster.connect_with(&plain).unwrap_err();
    assert!(
        matches!(error, ClusterError::OtherService { .. }),
        "{error}"
    );

    // Without any certificate no call comes through, on either port.
    let authority = fs::read(files.authority.as_ref().unwrap()).unwrap();
    let bare = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authority));
    for part in [&cluster.scheduler, &cluster.executors[0]] {
        let endpoint = Endpoint::from_shared(format!("https://{}", part.address)).unwrap();
        let endpoint = endpoint.tls_config(bare.clone()).unwrap();
        let answered = Runtime::new().unwrap().block_on(async {
            let channel = endpoint.connect().await.ok()?;
            Some(codes(channel.clone(), channel).await)
        });
        let answered = answered.unwrap_or([Code::Unavailable; 3]);
        assert!(
            answered
                .iter()
                .all(|code| matches!(code, Code::Unknown | Code::Unavailable | Code::Cancelled)),
            "{answered:?}"
        );
    }
}

#[test]
fn beyond_this_machine_certificates_and_a_secret_are_needed() {
    let folder = tempfile::tempdir().unwrap();
    let files = certificates(folder.path(), "ours");
    let of = |file: &Option<std::path::PathBuf>| file.as_ref().unwrap().display().to_string();
    let only_secret = format!(" --secret {}", of(&files.secret));
    let only_tls = format!(
        " --certificate {} --key {} --authority {}",
        of(&files.certificate),
        of(&files.key),
        of(&files.authority)
    );
    for protection in ["", &only_secret, &only_tls] {
        for part in [
            "scheduler --port 0 --bind 0.0.0.0",
            "scheduler --port 0 --bind ::",
            "executor --scheduler 127.0.0.1:1 --bind 0.0.0.0 --advertise 127.0.0.1",
            "executor --scheduler 127.0.0.1:1 --advertise 192.0.2.1",
            "executor --scheduler 192.0.2.1:50050",
        ] {
            let (code, said) = refused(&words(&format!("{part}{protection}")));
            assert_eq!(code, Some(2), "{part}: {said}");
            assert!(said.contains("beyond this machine"), "{part}: {said}");
        }
    }
    let (_, said) = refused(&words(&format!(
        "executor --scheduler 127.0.0.1:1 --bind 0.0.0.0{only_tls}{only_secret}"
    )));
    assert!(said.contains("--advertise"), "{said}");
    let error = connect(&"192.0.2.1:50050".parse().unwrap(), &Credentials::default()).unwrap_err();
    assert!(matches!(error, ClusterError::Unprotected { .. }), "{error}");
}

#[test]
fn a_secret_that_others_can_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = secret(folder.path(), "secret").secret.unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let (code, said) = refused(&words(&format!(
        "scheduler --port 0 --secret {}",
        file.display()
    )));
    assert_eq!(code, Some(2));
    assert!(said.contains("chmod 600"), "{said}");
}
