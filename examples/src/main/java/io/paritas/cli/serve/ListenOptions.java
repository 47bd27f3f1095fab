/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.serve;

import static io.paritas.inference.serving.spark.ServingSettings.GRPC_PORT;
import static io.paritas.inference.serving.spark.ServingSettings.HOST;
import static io.paritas.inference.serving.spark.ServingSettings.PORT;
import static io.paritas.inference.serving.spark.ServingSettings.TLS_CERTIFICATE;
import static io.paritas.inference.serving.spark.ServingSettings.TLS_KEY;
import static io.paritas.inference.serving.spark.ServingSettings.TOKEN_FILE;

import io.paritas.cli.usage.Usage;
import io.paritas.inference.serving.http.TokenFile;
import io.paritas.settings.Setting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of {@code paritas serve} that say where it listens, and to whom. */
final class ListenOptions {
    /** Which option has which setting. */
    static final Map<Setting<?>, String> NAMES = Map.of(
            HOST, "--host",
            PORT, "--port",
            GRPC_PORT, "--grpc-port",
            TOKEN_FILE, "--token-file",
            TLS_CERTIFICATE, "--tls-certificate",
            TLS_KEY, "--tls-key");

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "Address to listen on; other than loopback needs --token-file. Default: 127.0.0.1")
    private String host = "127.0.0.1";

    @Option(names = "--port", paramLabel = "PORT", description = "Port to listen on; 0 for any. Default: 8000")
    private int port = 8_000;

    @Option(names = "--grpc-port", paramLabel = "PORT", description = "Port of gRPC, 0 for any. Default: HTTP only")
    private Integer grpcPort;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file with the token that clients must send. Default: no token")
    private Path tokenFile;

    @Option(
            names = "--tls-certificate",
            paramLabel = "FILE",
            description = "The server's certificate, as PEM. Default: HTTP without TLS")
    private Path tlsCertificate;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "The certificate's private key: PKCS #8 as PEM, without a password.")
    private Path tlsKey;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** Refuses what cannot be listened on, before a cluster starts. */
    void check() {
        Usage usage = new Usage(spec);
        InetAddress address = address();
        int grpc = grpcPort == null ? 0 : grpcPort;
        requirePort(usage, "--port", port);
        requirePort(usage, "--grpc-port", grpc);
        usage.check(
                grpc == 0 || grpc != port,
                "--port and --grpc-port must differ, got %d for both: choose another one, or 0 for any",
                port);
        usage.check(
                tokenFile != null || address.isLoopbackAddress(),
                "--host must be a loopback address where there is no token, got %s: name a --token-file",
                host);
        usage.check(
                (tlsCertificate == null) == (tlsKey == null),
                "TLS needs both --tls-certificate and --tls-key: name the other one too");
        usage.requireFile("--token-file", tokenFile);
        usage.requireFile("--tls-certificate", tlsCertificate);
        usage.requireFile("--tls-key", tlsKey);
        requireToken();
        requireAddress(address);
        requireFree("--port", port, address);
        requireFree("--grpc-port", grpc, address);
    }

    /** The values of the settings: of options that were given, or have a default. */
    Map<Setting<?>, Object> settings() {
        Map<Setting<?>, Object> all = new LinkedHashMap<>();
        all.put(HOST, host);
        all.put(PORT, port);
        put(all, GRPC_PORT, grpcPort);
        put(all, TOKEN_FILE, absolute(tokenFile));
        put(all, TLS_CERTIFICATE, absolute(tlsCertificate));
        put(all, TLS_KEY, absolute(tlsKey));
        return all;
    }

    private static void put(Map<Setting<?>, Object> all, Setting<?> setting, Object value) {
        if (value != null) {
            all.put(setting, value);
        }
    }

    private static Path absolute(Path file) {
        return file == null ? null : file.toAbsolutePath();
    }

    private InetAddress address() {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw wrong("--host must be an address or a name of this machine, got %s, which is unknown", host);
        }
    }

    private void requireAddress(InetAddress address) {
        try {
            new ServerSocket(0, 0, address).close();
        } catch (IOException e) {
            throw wrong("--host must be an address of this machine, got %s (%s)", host, e.getMessage());
        }
    }

    /** Somebody may take the port until the server listens: that is told then. */
    private void requireFree(String option, int number, InetAddress address) {
        try {
            new ServerSocket(number, 0, address).close();
        } catch (IOException e) {
            throw wrong(
                    "%s must be a free port of --host, got %d of %s (%s): choose another one, or 0 for any",
                    option, number, host, e.getMessage());
        }
    }

    private static void requirePort(Usage usage, String option, int number) {
        usage.check(number >= 0 && number <= 65_535, "%s must be 0 to 65535, got %d", option, number);
    }

    private void requireToken() {
        try {
            if (tokenFile != null) {
                TokenFile.read(tokenFile);
            }
        } catch (IllegalArgumentException | IOException e) {
            throw wrong("--token-file cannot be used: %s", e.getMessage());
        }
    }

    private ParameterException wrong(String message, Object... values) {
        return new ParameterException(spec.commandLine(), String.format(Locale.ROOT, message, values));
    }
}
