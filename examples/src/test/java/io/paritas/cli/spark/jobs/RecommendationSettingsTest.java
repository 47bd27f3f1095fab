/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.cli.spark.jobs.RecommendationSettings.Clicks;
import io.paritas.inference.recommend.data.FeatureColumns;
import io.paritas.inference.recommend.data.FeatureColumns.Scale;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecommendationSettingsTest {
    @Test
    void whatIsNotSetIsAsUsual() {
        RecommendationSettings settings = RecommendationSettings.parse(List.of("servers=5", "kill=true"));
        assertThat(settings.all().number("servers")).isEqualTo(5);
        assertThat(settings.all().number("k")).isEqualTo(2);
        assertThat(settings.all().number("r")).isEqualTo(1);
        assertThat(settings.all().number("batch")).isEqualTo(256);
        assertThat(settings.all().number("dimension")).isEqualTo(16);
        assertThat(settings.all().number("patience")).isZero();
        assertThat(settings.all().number("every")).isEqualTo(600);
        assertThat(settings.all().fraction("rate")).isEqualTo(0.05);
        assertThat(settings.all().fraction("networkRate")).isEqualTo(0.01);
        assertThat(settings.workers()).isEqualTo(1);
        assertThat(settings.epochs()).isEqualTo(1);
        assertThat(settings.seed()).isEqualTo(1);
        assertThat(settings.clicks())
                .isEqualTo(new Clicks(Optional.empty(), FeatureColumns.criteo(), 0, 0.1, 100_000, 100_000));
        assertThat(settings.progress()).isEqualTo(10);
        assertThat(settings.kill()).isTrue();
        assertThat(settings.baseline()).isZero();
    }

    @Test
    void columnsCanBeNamed() {
        Clicks clicks = RecommendationSettings.parse(List.of(
                        "data=hdfs:///a=b",
                        "label=y",
                        "dense=price,age",
                        "categorical=shop",
                        "scale=log",
                        "heldOut=0.25"))
                .clicks();
        assertThat(clicks.data()).contains("hdfs:///a=b");
        assertThat(clicks.columns())
                .isEqualTo(new FeatureColumns("y", List.of("price", "age"), List.of("shop"), Scale.LOG));
        assertThat(clicks.heldOut()).isEqualTo(0.25);
    }

    /** As {@code paritas recommend} passes them on. */
    @Test
    void seedsMayBeNegativeAndRowsMany() {
        RecommendationSettings settings =
                RecommendationSettings.parse(List.of("seed=-2147483648", "rows=2147483647", "samples=3000000000"));
        assertThat(settings.seed()).isEqualTo(Integer.MIN_VALUE);
        assertThat(settings.clicks().rows()).isEqualTo(Integer.MAX_VALUE);
        assertThat(settings.clicks().samples()).isEqualTo(3_000_000_000L);
    }

    /** Before files are read, which takes long; or they would be ignored. */
    @Test
    void whatFitsNoTrainingIsRefused() {
        refuses(
                "patience needs samples to evaluate the model with, got patience=2 and heldOut=0: set heldOut, or no"
                        + " patience",
                "data=x",
                "patience=2",
                "heldOut=0");
        refuses("heldOut must be at least 0 and below 1, got 1.5", "heldOut=1.5");
        refuses("every must be at least 1 second, got 0", "every=0");
        refuses("progress must be at least 1 second, got 0", "progress=0");
        refuses(
                "resume=true goes on from a checkpoint in the folder checkpoints, which is missing: set it",
                "resume=true");
        String columns =
                "label and scale are those of dense and categorical, which are missing, and Criteo's columns have"
                        + " both: set dense and categorical";
        refuses(columns, "label=clicked");
        refuses(columns, "data=x", "scale=none");
        refuses("scale must be none or log, got foo", "dense=a", "categorical=b", "scale=foo");
    }

    private static void refuses(String message, String... settings) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecommendationSettings.parse(List.of(settings)))
                .withMessage(message);
    }

    /** Also before a session is started. */
    @Test
    void whatTheTrainerRefusesIsRefusedFirst(@TempDir Path out) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TrainRecommendation.main(new String[] {out.toString(), "optimizer=adagard"}))
                .withMessageContaining("adagard");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TrainRecommendation.main(new String[] {out.toString(), "k=3"}))
                .withMessageContaining("use more servers or a smaller k");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TrainRecommendation.main(new String[] {out.toString(), "batch=0"}))
                .withMessage("batch must be at least 1, got 0");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "servers; settings are [NAME=VALUE]..., of which by default data= label=label ",
                "server=5; there is no setting 'server': settings are [NAME=VALUE]..., of which by default data= ",
                "=; there is no setting '': settings are ",
                "servers=-1; servers must be a whole number of at most 9 digits that is not negative, got '-1'",
                "samples=many; samples must be a whole number of at most 18 digits that is not negative, got 'many'",
                "seed=1.5; seed must be a whole number of at most 18 digits, got '1.5'",
                "rate=1e-3; rate must be a decimal number that is not negative, with at most 9 digits on each side of the point, such as"
                        + " 0.05, got '1e-3'",
                "kill=1; kill must be true or false, got '1'"
            })
    void othersAreRefused(String setting, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecommendationSettings.parse(List.of(setting)))
                .withMessageStartingWith(reason);
    }

    @Test
    void allDefaultsAreNamed() {
        assertThat(RecommendationSettings.USAGE)
                .isEqualTo("[NAME=VALUE]..., of which by default data= label=label dense= categorical= scale=none"
                        + " vocabulary=0 heldOut=0.1 samples=100000 rows=100000 dimension=16 servers=3 k=2 r=1 workers=1 batch=256"
                        + " epochs=1 patience=0 optimizer=adagrad rate=0.05 networkRate=0.01 seed=1 checkpoints= every=600"
                        + " resume=false output= progress=10 kill=false baseline=0");
    }
}
