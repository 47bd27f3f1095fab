/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.learn;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paritas.cli.learn.DataOptions.Data;
import io.paritas.cli.machine.Machine;
import io.paritas.cli.progress.Waiting;
import io.paritas.cli.result.ResultFile;
import io.paritas.cli.result.Results;
import io.paritas.cli.usage.Usage;
import io.paritas.inference.Device;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.data.Examples;
import io.paritas.inference.folded.FoldedNetwork;
import io.paritas.inference.learned.LearnedCode;
import io.paritas.inference.parity.ParityModels;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code paritas eval}: measures models on the test images, or on the last of logged queries. */
@Command(
        name = "eval",
        description =
                "Measures the accuracy of a model and of its codes, with and without losses: on test images, or on the last"
                        + " tenth of logged queries.",
        footer = {
            "",
            "degraded.N-lost: accuracy of reconstructions when N predictions of a group are lost together.",
            "overall: accuracy of all predictions when a tenth is lost.",
            "agreement: share of reconstructions that name the model's own class.",
            "default-answer: accuracy of always answering the most frequent class.",
            "",
            "Example:",
            "  paritas eval --model models/base/base.onnx --parity models/parity --data glyphs",
            "  paritas eval --model models/large/base.onnx --small models/small/base.onnx --cascade models/cascade"
        })
public final class EvalCommand implements Callable<Integer> {
    @Mixin
    private DataOptions dataOptions;

    @Mixin
    private ExampleOptions examples;

    @Mixin
    private ModelChoice model;

    @Option(
            names = "--device",
            paramLabel = "DEVICE",
            defaultValue = "auto",
            description = "Where models predict: cpu, cuda, or auto, a GPU where one works. Default: ${DEFAULT-VALUE}")
    private Device device;

    @Option(names = "--parity", paramLabel = "DIR", description = "Its parity models.")
    private Path parity;

    @Option(names = "--code", paramLabel = "DIR", description = "Its learned code.")
    private Path code;

    @Option(names = "--folded", paramLabel = "DIR", description = "Its folded network.")
    private Path folded;

    @Mixin
    private CascadeStudy cascade;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results as JSON.")
    private ResultFile json;

    @Option(names = "--csv", paramLabel = "FILE", description = "Write the results as CSV.")
    private ResultFile csv;

    @Mixin
    private Results results;

    @Spec
    private CommandSpec spec;

    /** What was made for the model, as far as it is to be measured. */
    private record Codes(Optional<ParityModels> parity, Optional<LearnedCode> learned, Optional<FoldedNetwork> folded) {

        boolean any() {
            return parity.isPresent() || learned.isPresent() || folded.isPresent();
        }

        void requireFor(ModelFile deployed) {
            parity.ifPresent(models -> models.bundle().requireFor(deployed));
            learned.ifPresent(code -> code.bundle().requireFor(deployed));
            folded.ifPresent(network -> network.bundle().requireFor(deployed));
        }
    }

    /**
     * What was measured.
     *
     * @param data on what
     * @param measured accuracies by name, of the model and of each code
     */
    private record Result(String data, Map<String, Map<String, Double>> measured) {}

    @Override
    public Integer call() throws IOException {
        model.check();
        cascade.check(results);
        Codes codes = new Codes(
                Optional.ofNullable(parity).map(ParityModels::read),
                Optional.ofNullable(code).map(LearnedCode::read),
                Optional.ofNullable(folded).map(FoldedNetwork::read));
        Result result;
        try (Waiting waiting = Waiting.on(spec.commandLine().getErr())) {
            waiting.begin("loading " + examples.source(dataOptions.source()));
            Optional<Data> images = examples.unlessLogged(dataOptions::load);
            Usage usage = new Usage(spec);
            usage.check(
                    images.isPresent() || !cascade.wanted(),
                    "A cascade is measured on labelled images: leave --small or --queries out.");
            usage.check(
                    images.isPresent() || codes.any(),
                    "Logged queries say nothing about the model itself, only about its codes: name --parity, --code or"
                            + " --folded.");
            result = measure(codes, images, waiting);
        }
        print(result);
        write(result);
        return 0;
    }

    private Result measure(Codes codes, Optional<Data> images, Waiting waiting) throws IOException {
        Map<String, Map<String, Double>> measured = new LinkedHashMap<>();
        ModelOptions options = model.options().withDevice(device);
        try (LoadedModel deployed = model.load(images.map(Data::shape).orElse(List.of()), options)) {
            images.ifPresent(deployed::requireTakes);
            codes.requireFor(deployed.file());
            if (cascade.wanted()) {
                cascade.requireFits(images.orElseThrow(), options);
            }
            waiting.begin("predicting the test");
            ExampleOptions.Test asked = examples.test(images, deployed);
            Examples test = asked.examples();
            test.requireClasses();
            if (images.isPresent()) { // what a log calls right is what the model said
                measured.put("model", Map.of("available", test.accuracy()));
            }
            codes.parity.ifPresent(models -> {
                waiting.begin("measuring the parity models");
                measured.put("parity", models.measure(test, options).toMap());
            });
            codes.learned.ifPresent(learned -> {
                waiting.begin("measuring the learned code");
                measured.put(
                        "code", learned.measure(deployed.model(), test, options).toMap());
            });
            codes.folded.ifPresent(network -> {
                waiting.begin("measuring the folded network");
                measured.put("folded", network.measure(test, options));
            });
            if (cascade.wanted()) {
                waiting.begin("calibrating and measuring the cascade");
                measured.put("cascade", cascade.run(deployed, images.orElseThrow(), options));
            }
            return new Result(asked.description(), measured);
        }
    }

    private void print(Result result) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(result.data);
        result.measured.forEach((what, values) -> {
            out.println(what);
            values.forEach((name, value) -> out.printf(Locale.ROOT, "  %-24s %.4f%n", name, value));
        });
        out.flush();
    }

    private void write(Result result) throws IOException {
        if (json != null) {
            // Not a constant: the help of any command loads this class, and need not load Jackson.
            ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
            ObjectNode tree = mapper.createObjectNode();
            tree.put("data", result.data);
            tree.put("machine", Machine.description());
            tree.set("measured", mapper.valueToTree(result.measured));
            json.write(out -> out.write(mapper.writeValueAsBytes(tree)));
        }
        if (csv != null) {
            StringBuilder lines = new StringBuilder("what,measure,value\n");
            result.measured.forEach((what, values) -> values.forEach(
                    (name, value) -> lines.append(String.format(Locale.ROOT, "%s,%s,%.6f%n", what, name, value))));
            csv.write(lines.toString());
        }
    }
}
