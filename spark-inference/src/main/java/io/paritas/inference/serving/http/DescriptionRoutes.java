/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paritas.inference.Outcome;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Histogram;
import io.paritas.inference.serving.Meter;
import io.paritas.inference.serving.ModelStatus;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.protocol.Identity;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The routes of Triton's extensions of the protocol that describe models: their configuration and their statistics. */
final class DescriptionRoutes {
    private static final List<Outcome> ANSWERS =
            List.of(Outcome.PREDICTED, Outcome.RECONSTRUCTED, Outcome.APPROXIMATED);

    private final FrontEnd frontEnd;

    DescriptionRoutes(FrontEnd frontEnd) {
        this.frontEnd = frontEnd;
    }

    private ModelStatus status(Map<String, String> parameters) {
        return frontEnd.status(parameters.get("model"), parameters.getOrDefault("version", ""));
    }

    Answer config(Map<String, String> parameters) {
        ModelStatus status = status(parameters);
        ServedModel model = status.model();
        ObjectNode json = Json.object()
                .put("name", model.name())
                .put("platform", Identity.NAME)
                .put("max_batch_size", model.limits().waiting());
        tensor(json.putArray("input"), model.input());
        tensor(json.putArray("output"), model.output());
        ArrayNode groups = json.putArray("instance_group");
        status.backlog().waiting().keySet().forEach(role -> groups.addObject()
                .put("name", role.toString())
                .put("kind", "KIND_AUTO")
                .put("count", status.instances(role)));
        ObjectNode more = json.putObject("parameters");
        parameter(more, "policy", model.policy().label());
        parameter(more, "version", model.version());
        parameter(more, "deadline", model.limits().deadline().toString());
        return Answer.json(json);
    }

    /* Without the first dimension, the batch, as Triton has models whose max_batch_size is not 0. */
    private static void tensor(ArrayNode tensors, TensorSpec spec) {
        ObjectNode tensor = tensors.addObject().put("name", spec.name()).put("data_type", "TYPE_FP32");
        Json.put(tensor, "dims", spec.shape());
    }

    private static void parameter(ObjectNode parameters, String name, String value) {
        parameters.putObject(name).put("string_value", value);
    }

    /** Of one version, of all versions of a model, or of all models. */
    Answer statistics(Map<String, String> parameters) {
        String name = parameters.get("model");
        Stream<ModelStatus> all;
        if (name == null) {
            all = frontEnd.status().stream();
        } else if (parameters.containsKey("version")) {
            all = Stream.of(status(parameters));
        } else {
            frontEnd.model(name, ""); // or there is none
            all = frontEnd.status().stream()
                    .filter(status -> status.model().name().equals(name));
        }
        ObjectNode json = Json.object();
        ArrayNode models = json.putArray("model_stats");
        all.forEach(status -> add(models, status));
        return Answer.json(json);
    }

    private static void add(ArrayNode models, ModelStatus status) {
        Meter meter = status.meter();
        List<Histogram> answers = ANSWERS.stream().map(meter::latencies).toList();
        ObjectNode model = models.addObject()
                .put("name", status.model().name())
                .put("version", status.model().version())
                .put(
                        "inference_count",
                        answers.stream().mapToLong(Histogram::count).sum())
                .put("execution_count", meter.computing().count());
        ObjectNode times = model.putObject("inference_stats");
        put(times, "success", answers);
        put(times, "fail", List.of(meter.latencies(Outcome.UNAVAILABLE)));
        put(times, "queue", List.of(meter.queueing()));
        put(times, "compute_input", List.of(meter.encoding()));
        put(times, "compute_infer", List.of(meter.computing()));
        put(times, "compute_output", List.of(meter.decoding()));
        ObjectNode outcomes = model.putObject("paritas_outcome");
        ANSWERS.forEach(outcome ->
                outcomes.put(outcome.label(), meter.latencies(outcome).count()));
    }

    private static void put(ObjectNode times, String name, List<Histogram> histograms) {
        times.putObject(name)
                .put("count", histograms.stream().mapToLong(Histogram::count).sum())
                .put(
                        "ns",
                        Math.round(histograms.stream()
                                        .mapToDouble(Histogram::seconds)
                                        .sum()
                                * 1e9));
    }
}
