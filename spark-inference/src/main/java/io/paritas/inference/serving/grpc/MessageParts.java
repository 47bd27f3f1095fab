/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.grpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.WireFormat;
import io.grpc.Status;
import java.io.IOException;

/** Counts the parts of a message before it is parsed: each becomes objects, which need far more memory than its bytes. */
final class MessageParts {
    /** The most of a message. */
    static final int MOST = 10_000;

    private final CodedInputStream message;
    private long parts;

    private MessageParts(CodedInputStream message) {
        this.message = message;
    }

    /**
     * Reads a message.
     *
     * @throws io.grpc.StatusRuntimeException if it has too many parts
     * @throws IOException if it is none
     */
    static void require(CodedInputStream message, Descriptor type) throws IOException {
        new MessageParts(message).read(type);
    }

    private void read(Descriptor type) throws IOException {
        for (int tag = message.readTag(); tag != 0; tag = message.readTag()) {
            FieldDescriptor field = type.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
            int form = WireFormat.getTagWireType(tag);
            if (field != null && isNumbers(field, form)) {
                skip(tag);
                continue;
            }
            add(1);
            if (field != null && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && isOfLength(form)) {
                int outer = message.pushLimit(message.readRawVarint32());
                read(field.getMessageType());
                message.popLimit(outer);
            } else {
                int begin = message.getTotalBytesRead();
                skip(tag);
                // No message of the protocol has groups; what they have in them is not looked at.
                add(form == WireFormat.WIRETYPE_START_GROUP ? message.getTotalBytesRead() - begin : 0);
            }
        }
    }

    /* They are kept in an array. */
    private static boolean isNumbers(FieldDescriptor field, int form) {
        return field.isPackable()
                && (isOfLength(form) || form == field.getLiteType().getWireType());
    }

    private static boolean isOfLength(int form) {
        return form == WireFormat.WIRETYPE_LENGTH_DELIMITED;
    }

    private void skip(int tag) throws IOException {
        if (!message.skipField(tag)) {
            message.checkLastTagWas(0); // a group ends that has not begun
        }
    }

    private void add(int more) {
        parts += more;
        if (parts > MOST) {
            throw Status.RESOURCE_EXHAUSTED
                    .withDescription("a message must have at most " + MOST + " fields beside numbers, got more")
                    .asRuntimeException();
        }
    }
}
