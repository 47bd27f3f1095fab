/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.util.Progressable;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingSettingsTest {
    private static final Configuration CONF = new Configuration(false);

    @TempDir
    private Path folder;

    private static TrainingSettings batch(int batch) {
        return new TrainingSettings(Map.of("batch", String.valueOf(batch), "workers", "2"));
    }

    @Test
    void othersAreRefusedWithTheDifference() throws IOException {
        String path = folder.toUri().toString();
        batch(64).claim(path, CONF);
        batch(128).claim(path, CONF);
        assertThatCode(() -> batch(128).check(path, CONF)).doesNotThrowAnyException();
        Files.createFile(
                Files.createDirectory(folder.resolve("checkpoint-00000001")).resolve("manifest"));
        for (ThrowingCallable refused : new ThrowingCallable[] {
            () -> batch(256).check(path, CONF), () -> batch(256).claim(path, CONF)
        }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(refused)
                    .withMessage("settings must be those of the training whose checkpoints are in " + path
                            + ", got others: batch was 128 and is 256. Use the same settings, or another folder");
        }
        assertThatCode(() -> batch(128).claim(path, CONF)).doesNotThrowAnyException();
    }

    /** Without them, the checkpoints could not be resumed. */
    @Test
    void settingsThatCannotBeWrittenLeaveThoseBefore() throws IOException {
        String path = folder.toUri().toString();
        batch(128).claim(path, CONF);
        Configuration full = new Configuration(false);
        full.setClass("fs.file.impl", FullDisk.class, FileSystem.class);
        full.setBoolean("fs.file.impl.disable.cache", true);
        assertThatIOException().isThrownBy(() -> batch(256).claim(path, full)).withMessage("No space left on device");
        assertThatCode(() -> batch(128).check(path, CONF)).doesNotThrowAnyException();
    }

    /** Settings that are replaced are gone for a moment: who dies then could not resume. */
    @Test
    void aResumedTrainingLeavesThemAsTheyAre() throws IOException {
        String path = folder.toUri().toString();
        batch(128).claim(path, CONF);
        Files.createFile(
                Files.createDirectory(folder.resolve("checkpoint-00000001")).resolve("manifest"));
        Object written = Files.readAttributes(folder.resolve("training.json"), BasicFileAttributes.class)
                .fileKey();
        batch(128).claim(path, CONF);
        assertThat(Files.readAttributes(folder.resolve("training.json"), BasicFileAttributes.class)
                        .fileKey())
                .isEqualTo(written);
    }

    /** A crash of the machine can leave an empty file. */
    @Test
    void damagedOnesWithoutACheckpointAreReplaced() throws IOException {
        String path = folder.toUri().toString();
        Files.createFile(folder.resolve("training.json"));
        batch(128).claim(path, CONF);
        assertThatCode(() -> batch(128).check(path, CONF)).doesNotThrowAnyException();
    }

    @Test
    void damagedOnesBesideACheckpointSayWhatToDo() throws IOException {
        String path = folder.toUri().toString();
        Files.createFile(folder.resolve("training.json"));
        Files.createFile(
                Files.createDirectory(folder.resolve("checkpoint-00000001")).resolve("manifest"));
        assertThatIOException()
                .isThrownBy(() -> batch(128).claim(path, CONF))
                .withMessage("file:" + folder.resolve("training.json")
                        + " must be the settings of a training, but is damaged (No content to map"
                        + " due to end-of-input): delete it, then checkpoints beside it are used without a check of"
                        + " their settings");
        Files.delete(folder.resolve("training.json"));
        assertThatCode(() -> batch(128).claim(path, CONF)).doesNotThrowAnyException();
    }

    /** The old ones are deleted before the new ones get their name. */
    @Test
    void whoDiesWhileTheyAreReplacedLeavesThem() throws IOException {
        String path = folder.toUri().toString();
        batch(128).claim(path, CONF);
        Files.move(folder.resolve("training.json"), folder.resolve("_training.json"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> batch(256).check(path, CONF))
                .withMessageContaining("batch was 128 and is 256");
        Files.writeString(folder.resolve("_training.json"), "{\"batch\": \"12");
        assertThatCode(() -> batch(256).check(path, CONF)).doesNotThrowAnyException();
    }

    /** Those that are written next would be written over them. */
    @Test
    void settingsWithoutTheirNameGetIt() throws IOException {
        String path = folder.toUri().toString();
        batch(128).claim(path, CONF);
        Files.move(folder.resolve("training.json"), folder.resolve("_training.json"));
        Files.createFile(
                Files.createDirectory(folder.resolve("checkpoint-00000001")).resolve("manifest"));
        Configuration full = new Configuration(false);
        full.setClass("fs.file.impl", FullDisk.class, FileSystem.class);
        full.setBoolean("fs.file.impl.disable.cache", true);
        TrainingSettings more = new TrainingSettings(Map.of("batch", "128", "workers", "2", "epochs", "1"));
        assertThatIOException().isThrownBy(() -> more.claim(path, full)).withMessage("No space left on device");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> batch(256).check(path, CONF))
                .withMessageContaining("batch was 128 and is 256");
    }

    /** Makes files, but writes nothing into them. */
    static final class FullDisk extends RawLocalFileSystem {
        @Override
        public FSDataOutputStream create(
                org.apache.hadoop.fs.Path path,
                boolean overwrite,
                int buffer,
                short replication,
                long block,
                Progressable progress)
                throws IOException {
            super.create(path, overwrite, buffer, replication, block, progress).close();
            throw new IOException("No space left on device");
        }
    }

    /** Samples were identified otherwise: those of the same training would be refused. */
    @Test
    void samplesThatAnEarlierVersionNotedAreNotChecked() throws IOException {
        String path = folder.toUri().toString();
        Files.writeString(folder.resolve("training.json"), "{\"samples\":\"9 samples, hash 3f00a1b2c3d4e5f6\"}");
        assertThatCode(() -> samples("9 samples, hash 5").check(path, CONF)).doesNotThrowAnyException();
        samples("9 samples, hash 5").claim(path, CONF);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> samples("9 samples, hash 6").check(path, CONF))
                .withMessageContaining("training samples was 9 samples, hash 5 and is 9 samples, hash 6");
    }

    /** A component that a later version has is then one that is not noted. */
    @Test
    void theComponentsOfSettingsAreNotedByName() {
        assertThat(samples("9 samples, hash 5").values())
                .containsOnly(
                        entry("training samples", "9 samples, hash 5"),
                        entry("model type", "DlrmShape"),
                        entry("model denseFeatures", "1"),
                        entry("model bottom", "[4]"),
                        entry("model tables", "[10]"),
                        entry("model dimension", "4"),
                        entry("model interaction", "CONCATENATION"),
                        entry("model top", "[4]"),
                        entry("initial rows type", "InitialRows"),
                        entry("initial rows seed", "1"),
                        entry("initial rows dimension", "4"),
                        entry("initial rows bound", "0.10825317"),
                        entry("seed", "1"),
                        entry("row optimizer type", "Sgd"),
                        entry("row optimizer rate", "1.0"),
                        entry("network optimizer type", "Sgd"),
                        entry("network optimizer rate", "1.0"),
                        entry("batch", "5"),
                        entry("epochs", "1"),
                        entry("workers", "1"));
    }

    private static TrainingSettings samples(String fingerprint) {
        return TrainingSettings.of(SmallPlan.plan(), Optional.of(fingerprint));
    }

    /** Checkpoints that were written before settings were noted. */
    @Test
    void whatIsNotNotedIsNotChecked() {
        assertThatCode(() -> batch(128).check(folder.toUri().toString(), CONF)).doesNotThrowAnyException();
    }
}
