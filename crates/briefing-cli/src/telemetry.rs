//! The agent's spans for an OpenTelemetry collector (feature `otel`).

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::layer::SubscriberExt;
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
        let Ok(exporter) = SpanExporter::builder().with_http().build() else { return Self { provider: None } };
        let resource = Resource::builder().with_service_name("briefing").build();
        let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("briefing"));
        // Somebody else's subscriber stays, where this program is a library.
        let _ = tracing_subscriber::registry().with(layer).try_init();
        Self { provider: Some(provider) }
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        if let Some(provider) = self.provider.take() {
            let _ = provider.shutdown();
        }
    }
}
