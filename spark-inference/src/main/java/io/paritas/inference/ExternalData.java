/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.StringStringEntryProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Moves weights from files beside an ONNX model into the model (ONNX, "External Data"), wherever they are in it: beside those of the
 * graph there are tensors of attributes, of graphs in attributes, and of functions.
 */
final class ExternalData {

    private ExternalData() {}

    /** Where the bytes of weights are. */
    private record Place(Path file, long offset, long length) {}

    /** The model with all weights inside; the same array if none are outside. */
    static byte[] inline(byte[] onnx, Path path) throws IOException {
        ModelProto.Builder model;
        try {
            model = parse(onnx);
        } catch (IOException e) {
            throw new ModelException(
                    "a model must be ONNX (protobuf) or TorchScript (zip), " + path + " is neither: " + e.getMessage(),
                    e);
        }
        List<TensorProto.Builder> outside = outside(model);
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
        return outside.isEmpty() ? onnx : model.build().toByteArray();
    }

    /**
     * Refuses a model with weights outside: an engine would look for them in the folder where this JVM was started. Bytes that cannot
     * be parsed are left to the engines, which say what they find.
     */
    static void requireNone(byte[] onnx) {
        List<TensorProto.Builder> outside;
        try {
            outside = outside(parse(onnx));
        } catch (IOException e) {
            return;
        }
        if (!outside.isEmpty()) {
            throw new ModelException("a model given as bytes must have its weights inside, '"
                    + outside.get(0).getName()
                    + "' is in another file: read it with ModelFile.read(path), which takes the weights beside it,"
                    + " or export with external_data=False");
        }
    }

    /** The model, whose weights share the array. */
    private static ModelProto.Builder parse(byte[] onnx) throws IOException {
        CodedInputStream in = UnsafeByteOperations.unsafeWrap(onnx).newCodedInput();
        in.enableAliasing(true);
        return ModelProto.parseFrom(in).toBuilder();
    }

    private static List<TensorProto.Builder> outside(ModelProto.Builder model) {
        List<TensorProto.Builder> outside = new ArrayList<>();
        forEachTensor(model, tensor -> {
            if (tensor.getDataLocation() == TensorProto.DataLocation.EXTERNAL) {
                outside.add(tensor);
            }
        });
        return outside;
    }

    private static void forEachTensor(Message.Builder message, Consumer<TensorProto.Builder> action) {
        if (message instanceof TensorProto.Builder tensor) {
            action.accept(tensor);
            return;
        }
        for (FieldDescriptor field : message.getAllFields().keySet()) {
            if (field.getJavaType() != JavaType.MESSAGE) {
                continue;
            }
            if (!field.isRepeated()) {
                forEachTensor(message.getFieldBuilder(field), action);
                continue;
            }
            for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
                forEachTensor(message.getRepeatedFieldBuilder(field, i), action);
            }
        }
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
        try {
            Path file = folder.resolve(location).normalize();
            if (!location.isEmpty() && file.startsWith(folder)) {
                return file;
            }
        } catch (InvalidPathException e) {
            // no file has such a name
        }
        throw new ModelException(
                "weights outside a model must lie in its folder, " + model + " names '" + location + "'");
    }
}
