/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import io.paritas.PublicApi;
import io.paritas.inference.ModelException;
import java.util.List;
import java.util.stream.LongStream;

/** An operator of a graph, as ONNX defines it. Inputs and outputs are names of values. Immutable. */
@PublicApi
public final class Node {
    private final NodeProto proto;
    private final List<String> inputs;

    Node(NodeProto proto) {
        this.proto = proto;
        this.inputs = List.copyOf(proto.getInputList());
    }

    /** ONNX's name of the operator, for example {@code Conv}. */
    public String op() {
        return proto.getOpType();
    }

    /** The node's own name; may be empty. */
    public String name() {
        return proto.getName();
    }

    /** Inputs by position; an empty name is an optional input that is left out. */
    public List<String> inputs() {
        return inputs;
    }

    /** An input; empty if it is left out. */
    public String input(int index) {
        return proto.getInput(index);
    }

    /** Whether the node has that input. */
    public boolean hasInput(int index) {
        return index < proto.getInputCount() && !proto.getInput(index).isEmpty();
    }

    /** The first output, the only one of the operators that Paritas knows. */
    public String output() {
        return proto.getOutput(0);
    }

    /** Whether the node has an attribute. */
    public boolean has(String attribute) {
        return attribute(attribute) != null;
    }

    /** An attribute that is a list of integers; {@code otherwise} if it is missing. */
    public long[] ints(String attribute, long... otherwise) {
        AttributeProto found = attribute(attribute);
        return found == null
                ? otherwise
                : found.getIntsList().stream().mapToLong(Long::longValue).toArray();
    }

    /** An attribute that is an integer; {@code otherwise} if it is missing. */
    public long integer(String attribute, long otherwise) {
        AttributeProto found = attribute(attribute);
        return found == null ? otherwise : found.getI();
    }

    /**
     * Whether an attribute that may be 0 or 1 is 1; not if it is missing.
     *
     * @throws ModelException if it is another number
     */
    public boolean flag(String attribute) {
        long value = integer(attribute, 0);
        if (value != 0 && value != 1) {
            throw new ModelException(
                    attribute + " must be 0 or 1, " + this + " has " + value + ": the model is damaged");
        }
        return value == 1;
    }

    /** An attribute that is a number; {@code otherwise} if it is missing. */
    public float number(String attribute, float otherwise) {
        AttributeProto found = attribute(attribute);
        return found == null ? otherwise : found.getF();
    }

    /** An attribute that is a text; {@code otherwise} if it is missing. */
    public String text(String attribute, String otherwise) {
        AttributeProto found = attribute(attribute);
        return found == null ? otherwise : found.getS().toStringUtf8();
    }

    /** The same operator with an integer attribute set. */
    Node with(String attribute, long value) {
        return with(AttributeProto.newBuilder()
                .setName(attribute)
                .setType(AttributeProto.AttributeType.INT)
                .setI(value)
                .build());
    }

    /** The same operator with an attribute set that is a list of integers. */
    Node with(String attribute, long[] values) {
        return with(AttributeProto.newBuilder()
                .setName(attribute)
                .setType(AttributeProto.AttributeType.INTS)
                .addAllInts(LongStream.of(values).boxed().toList())
                .build());
    }

    /** The same operator without an attribute. */
    Node without(String attribute) {
        NodeProto.Builder changed = proto.toBuilder().clearAttribute();
        proto.getAttributeList().stream()
                .filter(other -> !other.getName().equals(attribute))
                .forEach(changed::addAttribute);
        return new Node(changed.build());
    }

    private Node with(AttributeProto attribute) {
        return new Node(without(attribute.getName()).proto.toBuilder()
                .addAttribute(attribute)
                .build());
    }

    NodeProto proto() {
        return proto;
    }

    private AttributeProto attribute(String name) {
        for (AttributeProto attribute : proto.getAttributeList()) {
            if (attribute.getName().equals(name)) {
                return attribute;
            }
        }
        return null;
    }

    /** Operator and name for messages: {@code Conv 'layer1.conv'}. */
    @Override
    public String toString() {
        return op() + " '" + (name().isEmpty() ? output() : name()) + "'";
    }
}
