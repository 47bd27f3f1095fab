/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A headless Chromium with one page, driven by its DevTools protocol. */
public final class Browser implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
    private static final String LISTENS = "DevTools listening on ";
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final AtomicInteger numbers = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    /** What the page complained of: errors of scripts, and what the browser refused to load. */
    private final List<String> complaints = new ArrayList<>();

    private Browser(Process process) throws IOException, InterruptedException {
        this.process = process;
        URI browser = address(process);
        HttpRequest open = HttpRequest.newBuilder(
                        URI.create("http://" + browser.getAuthority() + "/json/new?about:blank"))
                .PUT(HttpRequest.BodyPublishers.noBody())
                .build();
        JsonNode page = JSON.readTree(client.send(open, BodyHandlers.ofString()).body());
        socket = client.newWebSocketBuilder()
                .buildAsync(URI.create(page.get("webSocketDebuggerUrl").asText()), new Answers())
                .join();
        List.of("Runtime", "Log", "Page").forEach(domain -> call(domain + ".enable", JSON.createObjectNode()));
    }

    /**
     * Starts it; without one on the path the test is skipped, and says so.
     *
     * @param profile an empty folder for its files
     */
    public static Browser start(Path profile) throws IOException, InterruptedException {
        Optional<Path> found = find();
        assumeTrue(
                found.isPresent(),
                "the web page is tested in a real browser, and none of " + NAMES
                        + " is on the path: install one, on Debian with apt-get install chromium");
        Process process = new ProcessBuilder(
                        found.orElseThrow().toString(),
                        "--headless=new",
                        "--no-sandbox", // which root cannot have; it only ever sees our page
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            return new Browser(process);
        } catch (IOException | RuntimeException e) {
            kill(process);
            throw e;
        }
    }

    public static boolean isInstalled() {
        return find().isPresent();
    }

    private static Optional<Path> find() {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static URI address(Process process) throws IOException {
        BufferedReader err = process.errorReader(StandardCharsets.UTF_8);
        List<String> said = new ArrayList<>();
        for (String line = err.readLine(); line != null; line = err.readLine()) {
            if (line.startsWith(LISTENS)) {
                Thread drain = new Thread(() -> err.lines().forEach(unused -> {}), "browser-log");
                drain.setDaemon(true);
                drain.start();
                return URI.create(line.substring(LISTENS.length()));
            }
            said.add(line);
        }
        throw new IOException("the browser has ended: " + said);
    }

    /** Replies by number, which may come in parts, and events. */
    private final class Answers implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                heard(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    private void heard(String text) {
        try {
            JsonNode message = JSON.readTree(text);
            if (message.has("id")) {
                answers.remove(message.get("id").asInt()).complete(message);
                return;
            }
            String event = message.get("method").asText();
            if (event.equals("Runtime.exceptionThrown") || event.equals("Log.entryAdded")) {
                synchronized (complaints) {
                    complaints.add(message.get("params").toString());
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(text, e);
        }
    }

    private JsonNode call(String method, ObjectNode parameters) {
        int number = numbers.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(number, answer);
        ObjectNode message = JSON.createObjectNode().put("id", number).put("method", method);
        message.set("params", parameters);
        socket.sendText(message.toString(), true).join();
        JsonNode told = answer.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        assertThat(told.has("error")).as("%s: %s", method, told).isFalse();
        return told.get("result");
    }

    /** Opens an address. */
    public void open(String url) {
        call("Page.navigate", JSON.createObjectNode().put("url", url));
    }

    /** What a script of the page says, as text. */
    public String ask(String script) {
        JsonNode result = call(
                "Runtime.evaluate",
                JSON.createObjectNode()
                        .put("expression", "String(" + script + ")")
                        .put("returnByValue", true));
        return result.has("exceptionDetails")
                ? result.get("exceptionDetails").toString()
                : result.at("/result/value").asText();
    }

    /** Waits until a script of the page says true. */
    public void await(String script) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!ask(script).equals("true")) {
            assertThat(System.nanoTime())
                    .as("%s; the page has: %s; complaints: %s", script, ask("document.body.innerText"), complaints())
                    .isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** Waits until the text of the page, or of a part, has this. */
    public void awaitText(String selector, String text) throws InterruptedException {
        await("(document.querySelector('" + selector + "') || {innerText: ''}).innerText.includes(\"" + text + "\")");
    }

    public List<String> complaints() {
        synchronized (complaints) {
            return List.copyOf(complaints);
        }
    }

    /** Gives the window a size, and a user who likes it light or dark. */
    public void look(int width, int height, String scheme) {
        call(
                "Emulation.setDeviceMetricsOverride",
                JSON.createObjectNode()
                        .put("width", width)
                        .put("height", height)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", false));
        ObjectNode media = JSON.createObjectNode();
        media.putArray("features")
                .addObject()
                .put("name", "prefers-color-scheme")
                .put("value", scheme);
        call("Emulation.setEmulatedMedia", media);
    }

    /** A picture of the whole page, as PNG. */
    public byte[] picture() throws IOException {
        return call("Page.captureScreenshot", JSON.createObjectNode().put("captureBeyondViewport", true))
                .get("data")
                .binaryValue();
    }

    @Override
    public void close() throws InterruptedException {
        socket.abort();
        kill(process);
    }

    private static void kill(Process process) throws InterruptedException {
        Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList()
                .forEach(ProcessHandle::destroyForcibly);
        process.waitFor(1, TimeUnit.MINUTES);
    }
}
