/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.spark;

import io.paritas.inference.CompleteFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A package of pure Python for pip, in the binary distribution format 1.0: a zip of the package, its metadata, and a list of all
 * files with their hashes. The same content gives the same bytes.
 */
final class Wheel {
    /* The first that a zip can have. */
    private static final LocalDateTime NO_TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

    private final String name;
    private final String version;
    private final Map<String, byte[]> files = new LinkedHashMap<>();

    Wheel(String name, String version, String summary, String python) {
        this.name = name;
        this.version = version;
        add(information("METADATA"), String.format(Locale.ROOT, """
                Metadata-Version: 2.1
                Name: %s
                Version: %s
                Summary: %s
                License: Apache-2.0
                Requires-Python: %s
                """, name, version, summary, python));
        add(information("WHEEL"), """
                Wheel-Version: 1.0
                Generator: paritas
                Root-Is-Purelib: true
                Tag: py3-none-any
                """);
    }

    private String information(String file) {
        return name + "-" + version + ".dist-info/" + file;
    }

    private void add(String file, String content) {
        add(file, content.getBytes(StandardCharsets.UTF_8));
    }

    void add(String file, byte[] content) {
        files.put(file, content.clone());
    }

    /** Writes the wheel into a folder, under the name that pip requires; returns its path. */
    Path write(Path folder) throws IOException {
        Path wheel = folder.resolve(name + "-" + version + "-py3-none-any.whl");
        CompleteFile.write(wheel, this::write);
        return wheel;
    }

    private void write(OutputStream file) throws IOException {
        StringBuilder list = new StringBuilder();
        ZipOutputStream out = new ZipOutputStream(file);
        for (Map.Entry<String, byte[]> each : files.entrySet()) {
            write(out, each.getKey(), each.getValue());
            list.append(each.getKey()).append(",sha256=").append(hash(each.getValue()));
            list.append(',').append(each.getValue().length).append('\n');
        }
        String record = information("RECORD");
        list.append(record).append(",,\n");
        write(out, record, list.toString().getBytes(StandardCharsets.UTF_8));
        out.finish();
    }

    private static void write(ZipOutputStream out, String file, byte[] content) throws IOException {
        ZipEntry entry = new ZipEntry(file);
        entry.setTimeLocal(NO_TIME);
        out.putNextEntry(entry);
        out.write(content);
        out.closeEntry();
    }

    private static String hash(byte[] content) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
