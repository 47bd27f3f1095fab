/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paritas.inference.Outcome;
import io.paritas.inference.serving.Histogram;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Meter;
import io.paritas.inference.serving.ModelStatus;
import java.util.List;

/**
 * The status of all models, for the page and for programs. Counts are since the start: the difference of two answers is what happened
 * in between, and the server keeps nothing for a client.
 */
final class StatusJson {
    private StatusJson() {}

    static ObjectNode of(List<ModelStatus> models) {
        ObjectNode json = Json.object();
        ArrayNode bounds = json.putArray("bounds");
        Histogram.bounds().forEach(bounds::add);
        ArrayNode all = json.putArray("models");
        models.forEach(model -> all.add(of(model)));
        return json;
    }

    private static ObjectNode of(ModelStatus status) {
        ObjectNode json = Json.object()
                .put("name", status.model().name())
                .put("version", status.model().version())
                .put("policy", status.model().policy().label())
                .put("current", status.current())
                .put("draining", status.draining())
                .put("ready", status.isReady())
                .put("unanswered", status.backlog().unanswered());
        ArrayNode queues = json.putArray("queues");
        status.backlog().waiting().forEach((role, waiting) -> queues.addObject()
                .put("role", role.toString())
                .put("instances", status.instances(role))
                .put("waiting", waiting));
        ArrayNode instances = json.putArray("instances");
        status.instances().forEach((instance, batches) -> add(instances, instance, batches > 0 ? "busy" : "idle"));
        status.gone().forEach(instance -> add(instances, instance, "gone"));
        ObjectNode events = json.putObject("events");
        status.meter().events().forEach(events::put);
        put(json.putObject("latencies"), status.meter());
        return json;
    }

    private static void add(ArrayNode instances, Instance instance, String state) {
        instances
                .addObject()
                .put("id", instance.id())
                .put("role", instance.role().toString())
                .put("where", instance.where())
                .put("generation", instance.generation())
                .put("state", state);
    }

    private static void put(ObjectNode json, Meter meter) {
        for (Outcome outcome : Outcome.values()) {
            ArrayNode counts = json.putArray(outcome.label());
            Histogram latencies = meter.latencies(outcome);
            for (int bucket = 0; bucket <= latencies.buckets(); bucket++) {
                counts.add(latencies.count(bucket));
            }
        }
    }
}
