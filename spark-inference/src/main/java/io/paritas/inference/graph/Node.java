/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.graph;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import java.util.List;

/** One operator of a graph, as ONNX defines it: its inputs and outputs are names of values. Immutable. */
public final class Node {
    private final NodeProto proto;

    Node(NodeProto proto) {
        this.proto = proto;
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
        return List.copyOf(proto.getInputList());
    }

    public String input(int index) {
        return proto.getInput(index);
    }

    /** Whether the (perhaps optional) input is there. */
    public boolean hasInput(int index) {
        return index < proto.getInputCount() && !proto.getInput(index).isEmpty();
    }

    /** The first output; the training ops that Paritas knows use no other. */
    public String output() {
        return proto.getOutput(0);
    }

    public boolean has(String attribute) {
        return attribute(attribute) != null;
    }

    /** An attribute that is a list of integers. */
    public long[] ints(String attribute, long... otherwise) {
        AttributeProto found = attribute(attribute);
        return found == null
                ? otherwise
                : found.getIntsList().stream().mapToLong(Long::longValue).toArray();
    }

    /** An attribute that is an integer. */
    public long integer(String attribute, long otherwise) {
        AttributeProto found = attribute(attribute);
        return found == null ? otherwise : found.getI();
    }

    /** An attribute that is a number. */
    public float number(String attribute, float otherwise) {
        AttributeProto found = attribute(attribute);
        return found == null ? otherwise : found.getF();
    }

    /** An attribute that is a text. */
    public String text(String attribute, String otherwise) {
        AttributeProto found = attribute(attribute);
        return found == null ? otherwise : found.getS().toStringUtf8();
    }

    /** The same operator with an integer attribute set. */
    Node with(String attribute, long value) {
        NodeProto.Builder changed = proto.toBuilder().clearAttribute();
        proto.getAttributeList().stream()
                .filter(other -> !other.getName().equals(attribute))
                .forEach(changed::addAttribute);
        return new Node(changed.addAttribute(AttributeProto.newBuilder()
                        .setName(attribute)
                        .setType(AttributeProto.AttributeType.INT)
                        .setI(value))
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

    /** For messages: {@code Conv 'layer1.conv'}. */
    @Override
    public String toString() {
        return op() + " '" + (name().isEmpty() ? output() : name()) + "'";
    }
}
