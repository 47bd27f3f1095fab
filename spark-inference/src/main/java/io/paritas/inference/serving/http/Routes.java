/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import static io.paritas.inference.serving.http.Route.Access.OPEN;
import static io.paritas.inference.serving.http.Route.Access.TOKEN;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.RejectedException;
import io.paritas.inference.serving.UnknownModelException;
import io.paritas.inference.serving.protocol.BearerToken;
import io.paritas.inference.serving.protocol.Identity;
import io.paritas.inference.serving.protocol.LineLimit;
import io.paritas.inference.serving.protocol.RequestLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The paths of a server, and how requests for them are answered. Thread-safe; never blocks. */
final class Routes {
    /* The scheme and the host of a URI in absolute form, which a server must take (RFC 9112, 3.2.2). */
    private static final Pattern ORIGIN = Pattern.compile("^https?://[^/?]*", Pattern.CASE_INSENSITIVE);

    private final BearerToken token;
    private final LineLimit strangers = new LineLimit();
    private final Hosts hosts;
    private final RepositoryRoutes repository;
    private final List<Route> table;
    private volatile boolean ending;

    Routes(FrontEnd frontEnd, HttpOptions options, Optional<Repository> models) {
        this.token = new BearerToken(options.token());
        this.hosts = new Hosts(options);
        this.repository = new RepositoryRoutes(frontEnd, models, options);
        this.table = table(frontEnd, new ModelRoutes(frontEnd, options.bounds()), new DescriptionRoutes(frontEnd));
    }

    private List<Route> table(FrontEnd frontEnd, ModelRoutes models, DescriptionRoutes descriptions) {
        List<Route> table = new ArrayList<>(List.of(
                Route.get(
                        "/v2/health/live",
                        OPEN,
                        none -> Answer.json(Json.object().put("live", true))),
                Route.get("/v2/health/ready", OPEN, none -> ready(frontEnd.isReady())),
                Route.get("/v2", TOKEN, none -> server()),
                Route.get("/v2/", TOKEN, none -> server()),
                Route.get("/v2/paritas/status", TOKEN, none -> Answer.json(StatusJson.of(frontEnd.status()))),
                Route.get("/v2/models/stats", TOKEN, descriptions::statistics),
                Route.get("/metrics", TOKEN, none -> Answer.text(PrometheusText.of(frontEnd))),
                new Route(HttpMethod.POST, "/v2/repository/index", TOKEN, repository::index),
                new Route(HttpMethod.POST, "/v2/repository/models/{model}/load", TOKEN, repository::load),
                new Route(HttpMethod.POST, "/v2/repository/models/{model}/unload", TOKEN, repository::unload)));
        for (String model : List.of("/v2/models/{model}", "/v2/models/{model}/versions/{version}")) {
            table.add(Route.get(model, TOKEN, models::metadata));
            table.add(Route.get(model + "/ready", TOKEN, parameters -> ready(models.isReady(parameters))));
            table.add(Route.get(model + "/config", TOKEN, descriptions::config));
            table.add(Route.get(model + "/stats", TOKEN, descriptions::statistics));
            table.add(new Route(HttpMethod.POST, model + "/infer", TOKEN, models::infer));
        }
        Page page = new Page();
        page.paths().forEach(path -> table.add(Route.get(path, OPEN, none -> page.at(path))));
        return List.copyOf(table);
    }

    private Answer ready(boolean ready) {
        return ready && !ending ? Answer.ready() : Answer.notReady();
    }

    /** From now on nothing is ready, and no model is loaded or unloaded: who asks should go elsewhere. */
    void beginToEnd() {
        ending = true;
        repository.end();
    }

    /** The answer to a request, which is not kept; exceptional with a {@link Problem}, or a fault of this server. */
    CompletableFuture<Answer> answer(FullHttpRequest request) {
        try {
            return route(request);
        } catch (UnknownModelException e) {
            return failed(HttpResponseStatus.NOT_FOUND, e);
        } catch (RejectedException e) {
            return failed(HttpResponseStatus.SERVICE_UNAVAILABLE, e);
        } catch (RuntimeException | Error e) { // an Error, such as a class that is missing, would end the connection
            return CompletableFuture.failedFuture(e);
        }
    }

    private static CompletableFuture<Answer> failed(HttpResponseStatus status, RuntimeException e) {
        return CompletableFuture.failedFuture(new Problem(status, e.getMessage()));
    }

    private CompletableFuture<Answer> route(FullHttpRequest request) {
        Route route = at(request);
        return route.handler()
                .answer(request, route.match(Route.parts(path(request.uri()))).orElseThrow());
    }

    /**
     * Refuses a request that names another host than it may.
     *
     * @param host the value of the header Host
     * @throws Problem if it does
     */
    void checkHost(String host) {
        if (!hosts.contain(host)) {
            throw new Problem(
                    HttpResponseStatus.MISDIRECTED_REQUEST,
                    "a server without a token must be asked as localhost, 127.0.0.1 or [::1], got the header Host: "
                            + host + ": use such a name, or start the server with a token file");
        }
    }

    /**
     * The route that a request has by its head.
     *
     * @throws Problem if there is none at its path, it does not take the method, or the token is missing
     */
    Route at(HttpRequest request) {
        String path = path(request.uri());
        List<String> parts = Route.parts(path);
        for (Route route : table) {
            if (route.match(parts).isPresent()) {
                admit(route, request);
                return route;
            }
        }
        requireToken(request); // who has none learns nothing about the paths
        throw new Problem(
                HttpResponseStatus.NOT_FOUND,
                "there is nothing at " + path + ", there are "
                        + table.stream().map(Route::path).collect(Collectors.joining(", ")));
    }

    private static String path(String uri) {
        Matcher origin = ORIGIN.matcher(uri);
        int begin = origin.find() ? origin.end() : 0;
        int query = uri.indexOf('?', begin);
        int end = query < 0 ? uri.length() : query;
        return begin == end ? "/" : uri.substring(begin, end);
    }

    private void admit(Route route, HttpRequest request) {
        if (route.access() == TOKEN) {
            requireToken(request);
        }
        if (!route.takes(request.method())) {
            throw new Problem(
                    HttpResponseStatus.METHOD_NOT_ALLOWED,
                    request.uri() + " must be asked with " + route.methods() + ", got " + request.method(),
                    Map.of(HttpHeaderNames.ALLOW.toString(), route.methods()));
        }
    }

    /** The log of a request. There are few lines of clients that have not shown a token: these may be anybody. */
    RequestLog log(HttpRequest request) {
        return new RequestLog(
                request.method() + " " + request.uri(),
                token.isIn(authorization(request)) ? Optional.empty() : Optional.of(strangers));
    }

    private static String authorization(HttpRequest request) {
        return request.headers().get(HttpHeaderNames.AUTHORIZATION, "");
    }

    private void requireToken(HttpRequest request) {
        if (!token.admits(authorization(request))) {
            throw new Problem(HttpResponseStatus.UNAUTHORIZED, BearerToken.REQUIRED);
        }
    }

    private static Answer server() {
        ObjectNode json = Json.object().put("name", Identity.NAME).put("version", Identity.version());
        json.putArray("extensions")
                .add("binary_tensor_data")
                .add("classification")
                .add("model_configuration")
                .add("model_repository")
                .add("statistics");
        return Answer.json(json);
    }
}
