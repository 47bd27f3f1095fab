/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.netty.handler.ssl.SslProvider;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.protect.ProtectionPlan;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.ModelFolder;
import io.paritas.inference.serving.http.HttpOptions;
import io.paritas.inference.serving.http.TokenFile;
import io.paritas.inference.serving.protocol.ServerTls;
import io.paritas.inference.serving.trace.TraceOptions;
import io.paritas.inference.spark.settings.CallSettings;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.InputSettings;
import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import io.paritas.spark.plugin.UnknownSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/** The settings that a Spark application was given, as serving uses them. Immutable. */
final class ServingConf {
    private static final Logger LOG = LoggerFactory.getLogger(ServingConf.class);

    private final SparkConf conf;

    ServingConf(SparkConf conf) {
        this.conf = conf.clone();
    }

    /**
     * Checks all values, also those that are not used, and warns of names that are no settings.
     *
     * @throws IllegalArgumentException if one breaks the rule of its setting
     */
    void checkAll() {
        ServingSettings.GROUP.all().forEach(this::get);
        CallSettings.all().forEach(this::get);
        List<SettingGroup> groups = Stream.concat(Stream.of(ServingSettings.GROUP), CallSettings.groups().stream())
                .toList();
        UnknownSettings.warn(Arrays.stream(conf.getAll()).map(Tuple2::_1).toList(), groups);
    }

    /** @throws IllegalArgumentException if what is given breaks the rule of the setting */
    <T> T get(Setting<T> setting) {
        return setting.get(key -> conf.get(key, null));
    }

    /** The path of a file that must be named. */
    Path path(Setting<String> setting, String why) {
        String value = get(setting);
        if (value.isEmpty()) {
            throw new ModelException(why + ": name it with " + setting.key());
        }
        return Path.of(value);
    }

    /** The folder of models, if one is named. */
    Optional<ModelFolder> folder() {
        return Optional.of(get(ServingSettings.MODELS))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> new ModelFolder(Path.of(folder)));
    }

    Limits limits() {
        return new Limits(
                get(ServingSettings.WAITING),
                get(ServingSettings.BATCH),
                get(ServingSettings.PIPELINE),
                Limits.DEFAULT.attempts(),
                get(ServingSettings.DEADLINE));
    }

    HttpOptions http() {
        return new HttpOptions(
                get(ServingSettings.HOST),
                get(ServingSettings.PORT),
                token(),
                tls(),
                HttpOptions.DEFAULT
                        .withBodyBytes(get(ServingSettings.MAX_BODY_BYTES).intValue())
                        .withReplyBytes(get(ServingSettings.MAX_REPLY_BYTES).intValue())
                        .bounds());
    }

    TraceOptions traces() {
        return new TraceOptions(get(ServingSettings.TRACES), get(ServingSettings.TRACE_SHARE));
    }

    /**
     * Those of a server for gRPC; empty for none.
     *
     * @param http of the server beside it
     */
    Optional<HttpOptions> grpc(HttpOptions http) {
        int port = get(ServingSettings.GRPC_PORT);
        if (port > 0 && port == http.port()) {
            throw new IllegalArgumentException(ServingSettings.PORT.key() + " and " + ServingSettings.GRPC_PORT.key()
                    + " must be two ports, got " + port + " for both");
        }
        return port < 0 ? Optional.empty() : Optional.of(http.withPort(port));
    }

    private Optional<HttpOptions.Tls> tls() {
        String certificate = get(ServingSettings.TLS_CERTIFICATE);
        String key = get(ServingSettings.TLS_KEY);
        if (certificate.isEmpty() != key.isEmpty()) {
            throw new IllegalArgumentException(
                    ServingSettings.TLS_CERTIFICATE.key() + " and " + ServingSettings.TLS_KEY.key()
                            + " must both be set, or neither, got '" + certificate + "' and '" + key + "'");
        }
        if (certificate.isEmpty()) {
            return Optional.empty();
        }
        HttpOptions.Tls files = new HttpOptions.Tls(Path.of(certificate), secret(key));
        // What the server would refuse later: read here, before the cluster gives executors.
        ServerTls.of(files.certificate(), files.key(), builder -> builder.sslProvider(SslProvider.JDK));
        return Optional.of(files);
    }

    private String token() {
        String file = get(ServingSettings.TOKEN_FILE);
        try {
            return file.isEmpty() ? "" : TokenFile.read(secret(file));
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(
                    ServingSettings.TOKEN_FILE.key() + " must name a file with a token, there is no file " + file, e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the token in " + file + ": " + e.getMessage(), e);
        }
    }

    /** The file with a secret, after a warning if all users may read it. So may they where Kubernetes mounts it, but there are no others. */
    private static Path secret(String name) {
        Path file = Path.of(name);
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        try {
            if (view != null
                    && view.readAttributes().permissions().contains(PosixFilePermission.OTHERS_READ)
                    && !Files.exists(file.resolveSibling("..data"))) {
                LOG.warn(
                        "Paritas: a secret must be readable by its owner only, all users may read {}: chmod 600 it",
                        file);
            }
        } catch (IOException e) {
            LOG.debug("Paritas: cannot see who may read {}", file, e); // who reads it says what is wrong
        }
        return file;
    }

    /** How to load models. */
    ModelOptions model() {
        return new ModelOptions(get(EngineSettings.NAME), get(EngineSettings.DEVICE), get(EngineSettings.THREADS))
                .withInputShape(get(InputSettings.SHAPE))
                .withProtection(protection());
    }

    /** How the deployed model is protected. */
    private Protection protection() {
        Protection.Mode mode = get(EngineSettings.PROTECT);
        String plan = get(EngineSettings.PROTECT_PLAN);
        return mode == Protection.Mode.GUIDED && !plan.isEmpty()
                ? new Protection(mode, ProtectionPlan.read(Path.of(plan)).json())
                : Protection.of(mode);
    }
}
