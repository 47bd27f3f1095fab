/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.paritas.inference.Outcome;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Histogram;
import io.paritas.inference.serving.ModelStatus;
import io.paritas.inference.serving.Role;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The metrics of a front end in the text format of Prometheus. */
final class PrometheusText {
    /* Every bucket would be more series than are worth keeping. */
    private static final int STEP = 3;

    private final StringBuilder text = new StringBuilder();
    private final List<ModelStatus> models;

    private PrometheusText(List<ModelStatus> models) {
        this.models = models;
    }

    static String of(FrontEnd frontEnd) {
        PrometheusText page = new PrometheusText(frontEnd.status());
        page.gauges();
        page.counters();
        page.histogram(
                "paritas_serving_queue_seconds",
                "From a query's arrival until an instance of the deployed model gets it.",
                model -> model.meter().queueing());
        page.histogram(
                "paritas_serving_compute_seconds",
                "A batch at an instance of the deployed model, with its way there and back.",
                model -> model.meter().computing());
        page.histogram("paritas_serving_encode_seconds", "Encoding a parity query.", model -> model.meter()
                .encoding());
        page.histogram("paritas_serving_decode_seconds", "Reconstructing in a group.", model -> model.meter()
                .decoding());
        page.latencies();
        return page.text.toString();
    }

    private void gauges() {
        head("paritas_serving_instances", "gauge", "Instances that are ready.");
        models.forEach(model -> model.backlog()
                .waiting()
                .keySet()
                .forEach(role -> line(
                        "paritas_serving_instances", labels(model, "role", role.toString()), model.instances(role))));
        head(
                "paritas_serving_waiting",
                "gauge",
                "Queries, copies of them and parity queries that wait for an instance.");
        models.forEach(model -> model.backlog()
                .waiting()
                .forEach((Role role, Integer count) ->
                        line("paritas_serving_waiting", labels(model, "role", role.toString()), count)));
        head("paritas_serving_unanswered", "gauge", "Queries without a reply.");
        models.forEach(model -> line(
                "paritas_serving_unanswered", labels(model), model.backlog().unanswered()));
        head("paritas_serving_current", "gauge", "1 for the version that queries go to.");
        models.forEach(model -> line("paritas_serving_current", labels(model), model.current() ? 1 : 0));
    }

    private void counters() {
        head("paritas_serving_events_total", "counter", "What happened beside replies.");
        models.forEach(model -> model.meter()
                .events()
                .forEach((event, count) -> line("paritas_serving_events_total", labels(model, "event", event), count)));
    }

    private void latencies() {
        String name = "paritas_serving_latency_seconds";
        head(name, "histogram", "From a query's arrival to its reply, by how it was obtained.");
        for (ModelStatus model : models) {
            for (Outcome outcome : Outcome.values()) {
                lines(
                        name,
                        labels(model, "outcome", outcome.label()),
                        model.meter().latencies(outcome));
            }
        }
    }

    private void histogram(String name, String help, Function<ModelStatus, Histogram> histogram) {
        head(name, "histogram", help);
        models.forEach(model -> lines(name, labels(model), histogram.apply(model)));
    }

    private void lines(String name, String labels, Histogram histogram) {
        long below = 0;
        for (int bucket = 0; bucket < histogram.buckets(); bucket++) {
            below += histogram.count(bucket);
            if (bucket % STEP == STEP - 1) {
                String bound = String.format(Locale.ROOT, "%.3g", histogram.bound(bucket));
                line(name + "_bucket", labels + ",le=\"" + bound + '"', below);
            }
        }
        long all = below + histogram.count(histogram.buckets());
        line(name + "_bucket", labels + ",le=\"+Inf\"", all);
        line(name + "_sum", labels, histogram.seconds());
        line(name + "_count", labels, all);
    }

    /* Names of models and versions need no escapes: see ServedModel. */
    private static String labels(ModelStatus model) {
        return "model=\"" + model.model().name() + "\",version=\""
                + model.model().version() + '"';
    }

    private static String labels(ModelStatus model, String label, String value) {
        return labels(model) + "," + label + "=\"" + value + '"';
    }

    private void head(String name, String type, String help) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private void line(String name, String labels, Number value) {
        text.append(name).append('{').append(labels).append("} ").append(value).append('\n');
    }
}
