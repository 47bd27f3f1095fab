/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.pytorch.DeviceOptional;
import org.bytedeco.pytorch.ExtraFilesMap;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.global.torch;

/**
 * A TorchScript file, as {@code torch.jit.save} writes it. Those that Paritas writes have an extra file, {@code paritas.json}, with
 * the shape of the input of one row, which TorchScript does not store: {@code {"input":[3,32,32]}}.
 *
 * @param module the program in inference mode, in the open {@link Scope}
 * @param inputShape shape of one row; empty if the file does not have it
 */
record ScriptFile(JitModule module, List<Integer> inputShape) {
    private static final String EXTRA = "paritas.json";
    private static final String INPUT = "input";
    /** For the program, and what the archive has between tensors. */
    private static final long ROOM = 1 << 20;

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Reads a program and its weights.
     *
     * @throws ModelException if the file is damaged or no TorchScript
     */
    static ScriptFile read(ModelFile file, Place place) {
        return TemporaryFiles.named("model.pt", path -> {
            Files.write(path, file.bytes());
            try (BytePointer extra = new BytePointer(EXTRA)) {
                ExtraFilesMap extras = new ExtraFilesMap();
                extras.put(extra, "");
                JitModule module = torch.load(path.toString(), new DeviceOptional(place.libTorchs()), extras, true);
                module.eval();
                BytePointer text = extras.get(extra);
                return new ScriptFile(module, text == null ? List.of() : shape(text.getString()));
            } catch (RuntimeException e) {
                throw new ModelException(
                        "libtorch cannot load the TorchScript model of " + file.size() + " bytes with the hash "
                                + file.sha256() + ", it is damaged, or was not written by torch.jit.save: "
                                + LibTorch.reason(e),
                        e);
            }
        });
    }

    private static List<Integer> shape(String json) {
        try {
            List<Integer> shape = new ArrayList<>();
            for (JsonNode size : JSON.readTree(json).path(INPUT)) {
                shape.add(size.asInt());
            }
            return List.copyOf(shape);
        } catch (JsonProcessingException e) {
            throw new ModelException("the extra file " + EXTRA + " must be JSON, got " + json, e);
        }
    }

    /** Writes a program and its weights. Equal programs give equal bytes. */
    ModelFile toModelFile() {
        return TemporaryFiles.named("model.pt", weights() + ROOM, path -> {
            try (BytePointer extra = new BytePointer(EXTRA)) {
                ExtraFilesMap extras = new ExtraFilesMap();
                if (!inputShape.isEmpty()) {
                    extras.put(extra, JSON.writeValueAsString(Map.of(INPUT, inputShape)));
                }
                module.save(path.toString(), extras);
            }
            return ModelFile.of(Files.readAllBytes(path));
        });
    }

    /** Bytes of all parameters and buffers. */
    private long weights() {
        return Stream.of(ScriptNetwork.parameters(module), ScriptNetwork.buffers(module))
                .flatMap(tensors -> tensors.values().stream())
                .mapToLong(tensor -> tensor.raw().nbytes())
                .sum();
    }
}
