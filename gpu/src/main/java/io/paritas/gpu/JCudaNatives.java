/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Loads JCuda's library for the driver.
 *
 * <p>JCuda unpacks it to a fixed name under {@code java.io.tmpdir}, and loads a file of that name that exists already, whoever
 * wrote it. So the property points to a folder that only this user can enter while JCuda's class is initialised. The folder is
 * deleted at once, because a loaded library does not need its file. It stays if another thread has unpacked a file there meanwhile.
 */
final class JCudaNatives {
    private static final String TEMPORARY = "java.io.tmpdir";

    private JCudaNatives() {}

    /**
     * Loads the library; does nothing the second time.
     *
     * @throws LinkageError if JCuda is not on the class path, or the library or one that it needs, libcuda.so.1, cannot be
     *     loaded; the second try throws another kind of {@code LinkageError}
     */
    static synchronized void load() {
        String before = System.getProperty(TEMPORARY);
        Path folder = null;
        try {
            folder = Files.createTempDirectory("paritas-jcuda");
            Files.delete(File.createTempFile("paritas-jcuda", null).toPath()); // File keeps the folder of its first one
            System.setProperty(TEMPORARY, folder.toString());
            Class.forName("jcuda.driver.JCudaDriver", true, JCudaNatives.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new NoClassDefFoundError("jcuda.driver.JCudaDriver");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a folder for JCuda's library in " + before, e);
        } finally {
            System.setProperty(TEMPORARY, before);
            delete(folder);
        }
    }

    private static void delete(Path folder) {
        if (folder == null) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*JCuda*")) {
            for (Path file : files) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            System.getLogger(JCudaNatives.class.getName()).log(System.Logger.Level.DEBUG, "cannot delete " + folder, e);
        }
    }
}
