/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.TensorSpec;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Role;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The bytes of messages, all little-endian. A message begins with the version of this layout and its kind, a byte each.
 *
 * <pre>
 * PREDICT   version, PREDICT, t: short, rows: int, batch: long, rows x input values: float, t bytes of ASCII: traceparent (W3C)
 * answer    version, PREDICT, 2 zero bytes, rows: int, rows x output values: float
 * CANCEL    version, CANCEL, 2 zero bytes, 4 zero bytes, batch: long
 * REGISTER  version, REGISTER, port: int, then texts: model, version, instance, role, executor, host
 * STAND_BY  version, STAND_BY, as REGISTER: the instance is a spare, which answers for the role on that port
 * answer    version, REGISTER, to both
 * LIST      version, LIST, then texts: model, version
 * answer    version, LIST, count: int, for each: generation: long, length: int, a REGISTER message of that length
 * text      length: int, that many printable characters of ASCII
 * </pre>
 *
 * A failure travels as Spark's transport sends failures.
 */
final class Wire {
    static final byte PREDICT = 1;
    static final byte CANCEL = 2;
    static final byte REGISTER = 3;
    static final byte LIST = 4;
    static final byte STAND_BY = 5;

    private static final byte VERSION = 1;
    private static final int HEAD = 16;
    private static final int ANSWER_HEAD = 8;
    private static final int LONGEST_TEXT = 1_024;

    private Wire() {}

    /** An instance and the address that it listens on. */
    record Registration(
            String model, String version, String instance, Role role, String executor, String host, int port) {

        /** The instance for the front end. */
        Instance instance(long generation) {
            return new Instance(instance, generation, role, "executor " + executor + " on " + host);
        }

        /** Whether it is one of the same version of the same model as another. */
        boolean serves(Registration other) {
            return model.equals(other.model) && version.equals(other.version);
        }

        /** The same address as that of another instance. */
        Registration as(String other) {
            return new Registration(model, version, other, role, executor, host, port);
        }
    }

    /** A batch that is a part of the trace that {@code traceparent} names; empty if it is not traced. */
    static ByteBuffer predict(long batch, float[][] inputs, String traceparent) {
        int size = inputs[0].length;
        byte[] trace = traceparent.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer message =
                buffer(Math.addExact(HEAD + trace.length, Math.multiplyExact(inputs.length, size * Float.BYTES)));
        message.put(VERSION)
                .put(PREDICT)
                .putShort((short) trace.length)
                .putInt(inputs.length)
                .putLong(batch);
        for (float[] input : inputs) {
            message.asFloatBuffer().put(input);
            message.position(message.position() + size * Float.BYTES);
        }
        return message.put(trace).flip();
    }

    /** The header {@code traceparent} of PREDICT; empty if it is not traced. */
    static String traceparent(ByteBuffer message) {
        byte[] trace = new byte[traceBytes(message)];
        message.get(message.limit() - trace.length, trace);
        return new String(trace, StandardCharsets.US_ASCII);
    }

    private static int traceBytes(ByteBuffer message) {
        int bytes = message.getShort(message.position() + 2);
        if (bytes < 0 || bytes > message.remaining() - HEAD) {
            throw new IllegalArgumentException("a batch must have 0 to " + (message.remaining() - HEAD)
                    + " bytes that say of which trace it is a part, got " + bytes);
        }
        return bytes;
    }

    private static int valueBytes(ByteBuffer message) {
        return message.remaining() - HEAD - traceBytes(message);
    }

    /** The kind of a message, after a check of its layout. */
    static byte kind(ByteBuffer message) {
        message.order(ByteOrder.LITTLE_ENDIAN);
        if (message.remaining() < 2 || message.get(message.position()) != VERSION) {
            throw new IllegalArgumentException("messages must have the layout " + VERSION + ", got "
                    + (message.hasRemaining() ? message.get(message.position()) : "no bytes")
                    + ": the driver and all executors must have the same version of Paritas");
        }
        return message.get(message.position() + 1);
    }

    /* For one that is cut, say, Java has no text, and so nobody would be told what is wrong. */
    private static <T> T read(ByteBuffer message, Function<ByteBuffer, T> reader) {
        try {
            return reader.apply(message);
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException(
                    "a message must be whole, got one of " + message.remaining() + " bytes that lacks some", e);
        }
    }

    /** The batch of PREDICT and CANCEL. */
    static long batch(ByteBuffer message) {
        return read(message, whole -> whole.getLong(whole.position() + ANSWER_HEAD));
    }

    private static int rows(ByteBuffer message) {
        return read(message, whole -> whole.getInt(whole.position() + 4));
    }

    /** The rows of PREDICT, checked against the length of the message. */
    static int rows(ByteBuffer message, TensorSpec input) {
        batch(message); // the last of the head
        int rows = rows(message);
        long values = (long) rows * input.size();
        if (rows < 1 || valueBytes(message) != values * Float.BYTES) {
            throw new IllegalArgumentException("a batch of " + rows + " rows of " + input + " must have "
                    + values * Float.BYTES + " bytes, got " + valueBytes(message));
        }
        return rows;
    }

    /** Copies the values of PREDICT. */
    static void inputs(ByteBuffer message, FloatBuffer into) {
        into.put(message.slice(message.position() + HEAD, valueBytes(message))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer());
    }

    static ByteBuffer answer(int rows, FloatBuffer outputs) {
        ByteBuffer message = buffer(ANSWER_HEAD + outputs.remaining() * Float.BYTES);
        message.put(VERSION).put(PREDICT).putShort((short) 0).putInt(rows);
        message.asFloatBuffer().put(outputs);
        return message.position(0);
    }

    /** The rows of an answer. */
    static float[][] outputs(ByteBuffer message) {
        kind(message);
        int rows = rows(message);
        FloatBuffer values = message.slice(message.position() + ANSWER_HEAD, message.remaining() - ANSWER_HEAD)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer();
        if (rows < 1 || values.remaining() < rows || values.remaining() % rows != 0) {
            throw new IllegalArgumentException(
                    "an answer must have values for each of its rows, got " + values.remaining() + " for " + rows);
        }
        float[][] outputs = new float[rows][values.remaining() / rows];
        for (float[] output : outputs) {
            values.get(output);
        }
        return outputs;
    }

    static ByteBuffer cancel(long batch) {
        return buffer(HEAD)
                .put(VERSION)
                .put(CANCEL)
                .putShort((short) 0)
                .putInt(0)
                .putLong(batch)
                .flip();
    }

    static ByteBuffer register(Registration instance) {
        return register(REGISTER, instance);
    }

    static ByteBuffer standBy(Registration spare) {
        return register(STAND_BY, spare);
    }

    private static ByteBuffer register(byte kind, Registration instance) {
        Role role = instance.role;
        byte[][] texts = {
            ascii(instance.model),
            ascii(instance.version),
            ascii(instance.instance),
            ascii(role.kind() + " " + role.number()),
            ascii(instance.executor),
            ascii(instance.host)
        };
        int length = 6;
        for (byte[] text : texts) {
            length += Integer.BYTES + text.length;
        }
        ByteBuffer message = buffer(length).put(VERSION).put(kind).putInt(instance.port);
        for (byte[] text : texts) {
            message.putInt(text.length).put(text);
        }
        return message.flip();
    }

    static Registration registration(ByteBuffer message) {
        return read(message, whole -> readRegistration(behindKind(whole)));
    }

    private static ByteBuffer behindKind(ByteBuffer message) {
        return message.slice(message.position() + 2, message.remaining() - 2).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static Registration readRegistration(ByteBuffer in) {
        int port = in.getInt();
        String model = text(in);
        String version = text(in);
        String instance = text(in);
        String[] role = text(in).split(" ", 2);
        return new Registration(
                model,
                version,
                instance,
                new Role(Role.Kind.valueOf(role[0]), Integer.parseInt(role[1])),
                text(in),
                text(in),
                port);
    }

    static ByteBuffer registered() {
        return buffer(2).put(VERSION).put(REGISTER).flip();
    }

    static ByteBuffer list(String model, String version) {
        byte[] name = ascii(model);
        byte[] number = ascii(version);
        return buffer(2 + 2 * Integer.BYTES + name.length + number.length)
                .put(VERSION)
                .put(LIST)
                .putInt(name.length)
                .put(name)
                .putInt(number.length)
                .put(number)
                .flip();
    }

    /** The model and version of LIST. */
    static Map.Entry<String, String> model(ByteBuffer message) {
        return read(message, whole -> {
            ByteBuffer in = behindKind(whole);
            return Map.entry(text(in), text(in));
        });
    }

    static ByteBuffer listed(Map<Instance, Registration> instances) {
        Map<Instance, ByteBuffer> parts = new LinkedHashMap<>();
        instances.forEach((instance, at) -> parts.put(instance, register(at)));
        int length = 2 + Integer.BYTES;
        for (ByteBuffer part : parts.values()) {
            length += Long.BYTES + Integer.BYTES + part.remaining();
        }
        ByteBuffer message = buffer(length).put(VERSION).put(LIST).putInt(parts.size());
        parts.forEach((instance, part) ->
                message.putLong(instance.generation()).putInt(part.remaining()).put(part));
        return message.flip();
    }

    /** The instances and their addresses in an answer to LIST. */
    static Map<Instance, Registration> listed(ByteBuffer message) {
        kind(message);
        return read(message, whole -> readList(behindKind(whole)));
    }

    private static Map<Instance, Registration> readList(ByteBuffer in) {
        Map<Instance, Registration> instances = new LinkedHashMap<>();
        for (int count = in.getInt(); count > 0; count--) {
            long generation = in.getLong();
            int length = in.getInt();
            Registration at = registration(in.slice(in.position(), length));
            in.position(in.position() + length);
            instances.put(at.instance(generation), at);
        }
        return instances;
    }

    private static String text(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > LONGEST_TEXT) {
            throw new IllegalArgumentException("a text must have 0 to " + LONGEST_TEXT + " bytes, got " + length);
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        String text = new String(bytes, StandardCharsets.US_ASCII);
        if (!isPrintable(text)) { // it goes into logs
            throw new IllegalArgumentException("a text must have printable characters of ASCII only, got another one");
        }
        return text;
    }

    private static byte[] ascii(String text) {
        if (!isPrintable(text)) {
            throw new IllegalArgumentException(
                    "a text must have printable characters of ASCII only, got '" + text + "': name it otherwise");
        }
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static boolean isPrintable(String text) {
        return text.chars().allMatch(letter -> letter >= ' ' && letter <= '~');
    }

    private static ByteBuffer buffer(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }
}
