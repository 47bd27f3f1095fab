/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import io.paritas.cli.machine.Machine;
import io.paritas.cli.result.ResultFile;
import io.paritas.cli.result.Results;
import io.paritas.cli.usage.Usage;
import io.paritas.inference.serving.http.TokenFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code paritas load}: its options and output. */
@Command(
        name = "load",
        header = "Sends queries to a served model and measures their latencies.",
        description = {
            "",
            "Sends random inputs to a model of a server of the Open Inference Protocol (KServe v2), such as paritas serve. Queries"
                    + " form a Poisson process: they are sent at random times at the given rate, whether or not earlier ones are"
                    + " answered. Latencies count from the time at which a query should have been sent.",
            "",
            "A failed query counts as never answered: percentiles that it reaches are 'failed'. The exit status is 1 if no query"
                    + " was answered.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  paritas load http://127.0.0.1:8000/v2/models/digits",
            "  paritas load http://127.0.0.1:8000 --rate 100,200 --plot latencies.png",
        },
        sortOptions = false)
public final class LoadCommand implements Callable<Integer> {
    private static final int MAX_DEADLINE = 3_600_000;

    @Parameters(paramLabel = "URL", description = "URL of a server, or of a model, as paritas serve prints it.")
    private String url;

    @Option(
            names = "--model",
            paramLabel = "NAME",
            description = "Name of the model. Default: the one in URL, otherwise model")
    private String model;

    @Option(
            names = "--rate",
            paramLabel = "N",
            split = ",",
            defaultValue = "100",
            description =
                    "Queries a second; several rates are measured one after the other. Default:" + " ${DEFAULT-VALUE}")
    private List<Double> rates;

    @Option(
            names = "--queries",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Measured queries for each rate. Default: ${DEFAULT-VALUE}")
    private int queries;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            defaultValue = "200",
            description = "Queries before those, which are not measured. Default: ${DEFAULT-VALUE}")
    private int warmUp;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of times and values. Default: ${DEFAULT-VALUE}")
    private long seed;

    @Option(
            names = "--deadline",
            paramLabel = "MS",
            defaultValue = "0",
            description = "Deadline of each query. Default: the server's")
    private int deadline;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "Time after which a query without a reply has failed. Default: ${DEFAULT-VALUE}")
    private int timeout;

    @Option(names = "--tenant", paramLabel = "NAME", description = "Tenant of the queries (header Paritas-Tenant).")
    private String tenant;

    @Option(names = "--token-file", paramLabel = "FILE", description = "A file with the server's token.")
    private Path tokenFile;

    @Option(
            names = "--connections",
            paramLabel = "N",
            defaultValue = "256",
            description = "Most connections at a time, each with one query. Default: ${DEFAULT-VALUE}")
    private int connections;

    @Option(
            names = "--binary",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Send values as bytes; --no-binary sends JSON. Default: bytes")
    private boolean binary;

    @Option(names = "--csv", paramLabel = "FILE", description = "Also write the percentiles as CSV.")
    private ResultFile csv;

    @Option(names = "--plot", paramLabel = "FILE", description = "Also plot the percentiles as PNG.")
    private ResultFile plot;

    @Mixin
    @SuppressWarnings("UnusedVariable") // its option is looked at before this command runs
    private Results results;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        Target target = new Usage(spec).parsed(() -> Target.of(url, model));
        ExecutorService executor = Executors.newFixedThreadPool(
                Math.max(2, Runtime.getRuntime().availableProcessors()), LoadCommand::daemon);
        try {
            InferenceClient client = new InferenceClient(target, headers(), Duration.ofSeconds(timeout), executor);
            List<Input> inputs = client.inputs();
            Body.Format format = binary ? Body.Format.BINARY : Body.Format.JSON;
            List<Body> bodies = Body.pool(inputs, format, Duration.ofMillis(deadline), seed);
            client.probe(bodies.get(0));
            PrintWriter out = spec.commandLine().getOut();
            out.println(Machine.description());
            out.printf(
                    Locale.ROOT,
                    "%s at %s, %s as %s: %d queries and %d before them to warm up, seed %d%n%s%n",
                    target.model(),
                    target.url(),
                    inputs,
                    format,
                    queries,
                    warmUp,
                    seed,
                    LoadReport.header());
            return measure(client.sender(bodies), target, out);
        } finally {
            executor.shutdown();
        }
    }

    private int measure(Sender sender, Target target, PrintWriter out) throws IOException, InterruptedException {
        OpenLoop loop = new OpenLoop(sender, connections);
        List<RateResult> all = new ArrayList<>();
        for (double rate : rates) {
            out.flush();
            try (LoadProgress progress = new LoadProgress(rate, warmUp + queries)) {
                long[] times = Arrivals.times(rate, warmUp + queries, seed);
                all.add(loop.run(times, warmUp, progress).measured(rate));
            }
            out.println(LoadReport.text(all.get(all.size() - 1)));
        }
        if (csv != null) {
            csv.write(LoadReport.csv(all));
            out.println("percentiles: " + csv);
        }
        if (plot != null) {
            LoadPlot.write("Latencies of " + target.model(), all, plot);
            out.println("plot: " + plot);
        }
        out.flush();
        return all.stream().mapToLong(RateResult::answered).sum() == 0 ? 1 : 0;
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new LinkedHashMap<>();
        if (tenant != null) {
            headers.put("Paritas-Tenant", tenant);
        }
        if (tokenFile != null) {
            headers.put("Authorization", "Bearer " + TokenFile.read(tokenFile));
        }
        return headers;
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "paritas-load");
        thread.setDaemon(true);
        return thread;
    }

    private void check() {
        Usage usage = new Usage(spec);
        usage.require(
                rates.stream().allMatch(rate -> rate > 0 && rate <= 1e6),
                "--rate must be above 0 and at most 1000000",
                rates);
        usage.require(queries >= 1, "--queries must be at least 1", queries);
        usage.require(warmUp >= 0 && warmUp <= Integer.MAX_VALUE - queries, "--warm-up must be at least 0", warmUp);
        usage.require(
                deadline >= 0 && deadline <= MAX_DEADLINE,
                "--deadline must be at most an hour, in milliseconds",
                deadline);
        usage.require(timeout >= 1, "--timeout must be at least 1", timeout);
        usage.require(connections >= 1, "--connections must be at least 1", connections);
        usage.require(plot == null || plot.toString().endsWith(".png"), "--plot must be a .png file", plot);
    }
}
