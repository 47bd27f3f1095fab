/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.recommend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataOptionsTest {
    @Test
    void hadoopFindsFilesOfAnyName(@TempDir Path folder) throws IOException {
        for (String name : new String[] {"day_0", "my clicks", "100%", "a#b?"}) {
            Path file = Files.createFile(folder.resolve(name));
            var path = new org.apache.hadoop.fs.Path(DataOptions.uri(file.toString()));
            assertThat(path.getFileSystem(new Configuration(false)).exists(path))
                    .as(name)
                    .isTrue();
        }
        assertThat(DataOptions.uri("hdfs:///clicks/day 0")).isEqualTo("hdfs:///clicks/day 0");
    }
}
