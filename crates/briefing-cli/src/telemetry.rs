//! The agent's spans for an OpenTelemetry collector (feature `otel`).

use briefing_agent::provider::http::tls;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use reqwest::blocking::Client;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

/// Spans go out while this lives. Dropping it sends what is left.
pub(crate) struct Telemetry {
    provider: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Begins to send, if `OTEL_EXPORTER_OTLP_ENDPOINT` (or the one for traces) names a collector. A collector that cannot be reached
    /// holds nothing up.
    pub(crate) fn start() -> Self {
        let named = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
        if named.iter().all(|name| std::env::var_os(name).is_none_or(|value| value.is_empty())) {
            return Self { provider: None };
        }
        let client = tls().ok().and_then(|tls| Client::builder().tls_backend_preconfigured(tls.config).build().ok());
        let exporter = client.and_then(|client| SpanExporter::builder().with_http().with_http_client(client).build().ok());
        let Some(exporter) = exporter else { return Self { provider: None } };
        let resource = Resource::builder().with_service_name("briefing").build();
        let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
        // Somebody else's subscriber stays, where this program is a library.
        let _ = tracing_subscriber::registry().with(layer(&provider)).try_init();
        Self { provider: Some(provider) }
    }
}

/// Sends the spans that are ours, and what is logged in them by us.
fn layer<S: Subscriber + for<'a> LookupSpan<'a>>(provider: &SdkTracerProvider) -> impl Layer<S> {
    tracing_opentelemetry::layer().with_tracer(provider.tracer("briefing")).with_filter(filter_fn(is_ours))
}

/// Whether it is of these crates. Those that they use log what goes over a connection: messages, arguments and keys.
fn is_ours(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("briefing_")
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        if let Some(provider) = self.provider.take() {
            let _ = provider.shutdown();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use opentelemetry::Context;
    use opentelemetry_sdk::error::OTelSdkResult;
    use opentelemetry_sdk::trace::{Span, SpanData, SpanProcessor};

    use super::*;

    /// Keeps what would be sent.
    #[derive(Debug, Clone, Default)]
    struct Kept(Arc<Mutex<Vec<String>>>);

    impl SpanProcessor for Kept {
        fn on_start(&self, _: &mut Span, _: &Context) {}

        fn on_end(&self, span: SpanData) {
            let events = span.events.iter().map(|event| event.name.to_string()).collect::<Vec<_>>().join(",");
            self.0.lock().unwrap().push(format!("{}[{events}]", span.name));
        }

        fn force_flush(&self) -> OTelSdkResult {
            Ok(())
        }

        fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
            Ok(())
        }
    }

    #[test]
    fn what_others_log_is_not_sent() {
        let kept = Kept::default();
        let provider = SdkTracerProvider::builder().with_span_processor(kept.clone()).build();
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer(&provider)), || {
            let _ours = tracing::info_span!(target: "briefing_agent::run", "run").entered();
            let _theirs = tracing::info_span!(target: "rmcp::service", "serve_inner").entered();
            tracing::info!(target: "rmcp::service", "a message with a key");
            tracing::info!(target: "briefing_agent::run", "ours");
        });
        assert_eq!(*kept.0.lock().unwrap(), ["run[ours]"]);
    }
}
