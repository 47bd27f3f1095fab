/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.StringStringEntryProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Moves weights from files beside an ONNX model into the model (ONNX, "External Data"). */
final class ExternalData {

    private ExternalData() {}

    /** Where the bytes of weights are. */
    private record Place(Path file, long offset, long length) {}

    /** The model with all weights inside; the same array if none are outside. */
    static byte[] inline(byte[] onnx, Path path) throws IOException {
        ModelProto model;
        try {
            model = ModelProto.parseFrom(onnx);
        } catch (InvalidProtocolBufferException e) {
            throw new ModelException(
                    "a model must be ONNX (protobuf) or TorchScript (zip), " + path + " is neither: " + e.getMessage(),
                    e);
        }
        GraphProto.Builder graph = model.getGraph().toBuilder();
        List<TensorProto.Builder> outside = graph.getInitializerBuilderList().stream()
                .filter(tensor -> tensor.getDataLocation() == TensorProto.DataLocation.EXTERNAL)
                .toList();
        long size = onnx.length;
        List<Place> places = new ArrayList<>();
        for (TensorProto.Builder tensor : outside) {
            Place place = place(tensor, path);
            size += place.length();
            places.add(place);
        }
        ModelFile.requireSize(size, path);
        for (int i = 0; i < places.size(); i++) {
            read(outside.get(i), places.get(i));
        }
        return outside.isEmpty()
                ? onnx
                : model.toBuilder().setGraph(graph).build().toByteArray();
    }

    private static Place place(TensorProto.Builder tensor, Path model) throws IOException {
        Map<String, String> entries = new HashMap<>();
        for (StringStringEntryProto entry : tensor.getExternalDataList()) {
            entries.put(entry.getKey(), entry.getValue());
        }
        Path file = beside(model, entries.getOrDefault("location", ""));
        if (!Files.isRegularFile(file)) {
            throw new ModelException("the weights '" + tensor.getName() + "' of " + model + " are in " + file
                    + ", which is missing: put it beside the model, or export with external_data=False");
        }
        long size = Files.size(file);
        long offset = number(entries.get("offset"), 0, tensor, model);
        long length = number(entries.get("length"), Math.max(0, size - offset), tensor, model);
        if (offset < 0 || length < 0 || offset > size || length > size - offset) {
            throw new ModelException("the weights '" + tensor.getName() + "' of " + model + " are " + length
                    + " bytes from byte " + offset + " of " + file + ", which has only " + size
                    + ": copy the file again");
        }
        return new Place(file, offset, length);
    }

    private static void read(TensorProto.Builder tensor, Place place) throws IOException {
        try (InputStream in = Files.newInputStream(place.file())) {
            in.skipNBytes(place.offset());
            tensor.setRawData(ByteString.copyFrom(in.readNBytes((int) place.length())));
        }
        tensor.clearExternalData().clearDataLocation();
    }

    private static long number(String text, long otherwise, TensorProto.Builder tensor, Path model) {
        try {
            return text == null ? otherwise : Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new ModelException(
                    "the weights '" + tensor.getName() + "' of " + model + " must lie at a whole number of bytes, got '"
                            + text + "': the model is damaged",
                    e);
        }
    }

    /** A model may name files below its own folder only. */
    private static Path beside(Path model, String location) {
        Path folder = model.toAbsolutePath().normalize().getParent();
        Path file = folder.resolve(location).normalize();
        if (location.isEmpty() || !file.startsWith(folder)) {
            throw new ModelException(
                    "weights outside a model must lie in its folder, " + model + " names '" + location + "'");
        }
        return file;
    }
}
