/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * Configures an HDFS client to use Paritas, then writes and reads an erasure-coded file. {@code src/main/conf/core-site.xml} is the
 * same configuration as a file, for clients and DataNodes.
 *
 * <p>Argument: a new folder on HDFS, such as {@code hdfs://namenode/tmp/paritas}. Its policy is set to RS-6-3-1024k, which needs
 * nine DataNodes and must be enabled.
 */
public final class HdfsClient {
    private HdfsClient() {}

    /** Hadoop's configuration on the class path, with Paritas as the first choice for the codecs rs and xor. */
    static Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.set("io.erasurecode.codec.rs.rawcoders", "rs_paritas,rs_native,rs_java");
        configuration.set("io.erasurecode.codec.xor.rawcoders", "xor_paritas,xor_native,xor_java");
        return configuration;
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            throw new IllegalArgumentException("the argument is FOLDER, such as hdfs://namenode/tmp/paritas");
        }
        Path folder = new Path(arguments[0]);
        try (FileSystem files = FileSystem.get(URI.create(arguments[0]), configuration())) {
            files.mkdirs(folder);
            ((DistributedFileSystem) files).setErasureCodingPolicy(folder, "RS-6-3-1024k");
            Path file = new Path(folder, "hello.txt");
            try (OutputStream out = files.create(file)) {
                out.write("hello\n".getBytes(StandardCharsets.UTF_8));
            }
            try (InputStream in = files.open(file)) {
                System.out.print(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
    }
}
