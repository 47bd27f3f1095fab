/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.WatchedFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFilesTest {
    @TempDir
    java.nio.file.Path folder;

    private final Configuration conf = new Configuration();

    private void write(String content) throws IOException {
        Path file = new Path("watched:" + folder + "/note");
        DurableFiles.write(file.getFileSystem(conf), file, content.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aFileGetsItsNameWhenItIsOnDisk() throws IOException {
        List<String> done = new ArrayList<>();
        WatchedFiles.watch(conf, (what, path) -> done.add(what + " " + path.getName()));

        write("one");
        assertThat(done).containsExactly("create _note", "sync _note", "rename note");
        assertThat(folder.resolve("note")).hasContent("one");

        done.clear();
        write("two");
        assertThat(done).containsExactly("create _note", "sync _note", "delete note", "rename note");
        assertThat(folder.resolve("note")).hasContent("two");
        assertThat(folder.toFile().list()).containsExactly("note");
    }

    @Test
    void aFileThatCannotGetItsNameIsTold() {
        WatchedFiles.watch(conf, (what, path) -> !what.equals("rename"));

        assertThatThrownBy(() -> write("one"))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot rename watched:" + folder
                        + "/_note to note: see whether its folder is there and may be" + " written to");
    }
}
