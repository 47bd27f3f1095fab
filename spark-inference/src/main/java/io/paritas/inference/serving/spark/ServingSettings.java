/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.Device;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.http.HttpOptions;
import io.paritas.inference.spark.SparkSetting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.SparkConf;

/** The settings of serving, as a Spark application was given them. Immutable. */
final class ServingSettings {
    private final SparkConf conf;

    ServingSettings(SparkConf conf) {
        this.conf = conf.clone();
    }

    String text(SparkSetting setting) {
        return conf.get(setting.key(), setting.defaultValue()).strip();
    }

    int whole(SparkSetting setting, int least) {
        String value = text(setting);
        try {
            int number = Integer.parseInt(value);
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(wrong(setting, least, value), e);
        }
        throw new IllegalArgumentException(wrong(setting, least, value));
    }

    private static String wrong(SparkSetting setting, int least, String value) {
        return setting.key() + " must be a whole number from " + least + " on, got '" + value + "'";
    }

    double number(SparkSetting setting) {
        String value = text(setting);
        try {
            return Double.parseDouble(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(setting.key() + " must be a number, got '" + value + "'", e);
        }
    }

    Duration millis(SparkSetting setting) {
        return Duration.ofMillis(whole(setting, 1));
    }

    /** A file that must be named. */
    Path path(SparkSetting setting, String why) {
        String value = text(setting);
        if (value.isEmpty()) {
            throw new ModelException(why + ": name it with " + setting.key());
        }
        return Path.of(value);
    }

    Limits limits() {
        return new Limits(
                whole(SparkSetting.SERVING_WAITING, 1),
                whole(SparkSetting.SERVING_BATCH, 1),
                whole(SparkSetting.SERVING_PIPELINE, 1),
                Limits.DEFAULT.attempts(),
                millis(SparkSetting.SERVING_DEADLINE));
    }

    HttpOptions http() {
        HttpOptions usual = HttpOptions.DEFAULT;
        return new HttpOptions(
                text(SparkSetting.SERVING_HOST),
                whole(SparkSetting.SERVING_PORT, 0),
                token(),
                tls(),
                whole(SparkSetting.SERVING_BODY, 1),
                usual.connections(),
                usual.receive(),
                usual.idle());
    }

    private Optional<HttpOptions.Tls> tls() {
        String certificate = text(SparkSetting.SERVING_TLS_CERTIFICATE);
        String key = text(SparkSetting.SERVING_TLS_KEY);
        if (certificate.isEmpty() != key.isEmpty()) {
            throw new IllegalArgumentException("TLS needs both " + SparkSetting.SERVING_TLS_CERTIFICATE.key() + " and "
                    + SparkSetting.SERVING_TLS_KEY.key() + ", got '" + certificate + "' and '" + key + "'");
        }
        return certificate.isEmpty()
                ? Optional.empty()
                : Optional.of(new HttpOptions.Tls(Path.of(certificate), Path.of(key)));
    }

    /** What a file says, because command lines are seen by all users of a machine. */
    private String token() {
        String file = text(SparkSetting.SERVING_TOKEN_FILE);
        if (file.isEmpty()) {
            return "";
        }
        try {
            String token = Files.readString(Path.of(file)).strip();
            if (token.isEmpty()) {
                throw new IllegalArgumentException(
                        "a token must have characters, " + file + " has none: write one into it");
            }
            return token;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the token in " + file + ": " + e.getMessage(), e);
        }
    }

    /** How models are loaded. */
    ModelOptions model() {
        String device = text(SparkSetting.DEVICE).toUpperCase(Locale.ROOT);
        if (Arrays.stream(Device.values()).noneMatch(known -> known.name().equals(device))) {
            throw new IllegalArgumentException(
                    SparkSetting.DEVICE.key() + " must be auto, cpu or cuda, got '" + text(SparkSetting.DEVICE) + "'");
        }
        return new ModelOptions(text(SparkSetting.ENGINE), Device.valueOf(device), whole(SparkSetting.THREADS, 1))
                .withInputShape(shape());
    }

    private List<Integer> shape() {
        String sizes = text(SparkSetting.SHAPE);
        try {
            return sizes.isEmpty()
                    ? List.of()
                    : Arrays.stream(sizes.split(",", -1))
                            .map(String::strip)
                            .map(Integer::valueOf)
                            .toList();
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    SparkSetting.SHAPE.key() + " must be sizes such as 3,32,32, got '" + sizes + "'", e);
        }
    }
}
