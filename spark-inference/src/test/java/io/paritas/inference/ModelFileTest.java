/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelFileTest {
    @TempDir
    Path folder;

    @Test
    void theFirstBytesTellTheFormat() {
        assertThat(ModelFile.of(new byte[] {'P', 'K', 3, 4}).format()).isEqualTo(ModelFormat.TORCHSCRIPT);
        assertThat(ModelFile.of(new byte[] {8, 8}).format()).isEqualTo(ModelFormat.ONNX);
        assertThat(ModelFile.of(new byte[] {'P'}).format()).isEqualTo(ModelFormat.ONNX);
    }

    @Test
    void isKnownByItsHash() {
        ModelFile file = ModelFile.of("abc".getBytes(StandardCharsets.US_ASCII));
        assertThat(file.sha256()).isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assertThat(file.size()).isEqualTo(3);
    }

    @Test
    void itsBytesCannotBeChanged() {
        byte[] bytes = {8, 8};
        ModelFile file = ModelFile.of(bytes);
        bytes[0] = 1;
        file.bytes()[1] = 1;
        assertThat(file.bytes()).containsExactly(8, 8);
    }

    @Test
    void travelsWithAllThatItIs() throws IOException, ClassNotFoundException {
        ModelFile file = ModelFile.of(new byte[] {'P', 'K', 3, 4});
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(file);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            ModelFile arrived = (ModelFile) in.readObject();
            assertThat(arrived.bytes()).isEqualTo(file.bytes());
            assertThat(arrived.format()).isEqualTo(file.format());
            assertThat(arrived.sha256()).isEqualTo(file.sha256());
        }
    }

    @Test
    void refusesFilesThatAreNoModels() throws IOException {
        assertThatThrownBy(() -> ModelFile.of(new byte[0]))
                .isInstanceOf(ModelException.class)
                .hasMessage("a model must have bytes, got none: were they read completely?");
        Path empty = Files.createFile(folder.resolve("empty.onnx"));
        assertThatThrownBy(() -> ModelFile.read(empty))
                .isInstanceOf(ModelException.class)
                .hasMessage("a model must have bytes, " + empty + " is empty: was it written completely?");
        Path text = Files.writeString(folder.resolve("text.onnx"), "hello, world");
        assertThatThrownBy(() -> ModelFile.read(text))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith(
                        "a model must be ONNX (protobuf) or TorchScript (zip), " + text + " is neither: ");
        Path large = folder.resolve("large.onnx");
        try (RandomAccessFile sparse = new RandomAccessFile(large.toFile(), "rw")) {
            sparse.setLength(1L << 31);
        }
        assertThatThrownBy(() -> ModelFile.read(large))
                .isInstanceOf(ModelException.class)
                .hasMessage("a model must be below 2 GiB with its weights, " + large
                        + " has 2147483648 bytes: take a smaller network");
        Path missing = folder.resolve("missing.onnx");
        assertThatThrownBy(() -> ModelFile.read(missing))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageStartingWith("cannot read the model " + missing + ": ");
    }
}
