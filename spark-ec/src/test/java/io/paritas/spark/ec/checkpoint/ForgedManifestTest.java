/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.FileNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Manifests with a checksum that fits, by somebody who may write to a directory. */
class ForgedManifestTest {
    @TempDir
    private Path home;

    /** Its id would have the manifest written, and unit files read, somewhere else. */
    @Test
    void anIdThatIsNotTheFoldersNamesNoFolder() throws Exception {
        Sample sample = Sample.written(home, "rs-3-2", Sample.rows(10));
        String id = sample.manifest().id();
        for (int number = 1; number < sample.directories(); number++) {
            Files.delete(sample.folder(number).resolve(Manifest.FILE_NAME));
        }
        forge(sample, 0, id, id + "/../../../victim");
        Path victim = Files.createDirectory(home.resolve("victim")).resolve(Manifest.FILE_NAME);
        Files.writeString(victim, "somebody else's");

        assertThatExceptionOfType(FileNotFoundException.class)
                .isThrownBy(() -> sample.repair().repair())
                .withMessageContaining(
                        "/d0/checkpoint-" + id + "/manifest.json is damaged: the manifest must be that of"
                                + " checkpoint " + id + ", got that of " + id + "/../../../victim");
        assertThat(victim).hasContent("somebody else's");
    }

    @Test
    void aNumberThatNoDirectoryHasIsRepaired() throws Exception {
        Dataset<Row> rows = Sample.rows(10);
        Sample sample = Sample.written(home, "rs-3-2", rows);
        Path manifest = sample.folder(1).resolve(Manifest.FILE_NAME);
        byte[] before = Files.readAllBytes(manifest);
        forge(sample, 1, "\"directory\":1,", "\"directory\":7,");

        sample.check(rows);
        List<Damage> damage = sample.repair().repair();

        assertThat(damage)
                .extracting(Damage::trouble)
                .singleElement()
                .asString()
                .endsWith("manifest.json is damaged: not understood: directory must be 0 to 4, got 7");
        assertThat(manifest).hasBinaryContent(before);
    }

    private static void forge(Sample sample, int number, String what, String with) throws Exception {
        Path manifest = sample.folder(number).resolve(Manifest.FILE_NAME);
        String body = ManifestCopyTest.body(ManifestCopy.decode(Files.readAllBytes(manifest)));
        Files.write(manifest, ManifestCopyTest.sealed(body.replace(what, with)));
    }
}
