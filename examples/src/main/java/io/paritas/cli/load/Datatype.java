/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.nio.ByteBuffer;
import java.util.Random;

/** The types of random values: floating-point numbers are normally distributed, whole numbers from 0 to 255. */
enum Datatype {
    FP32(Float.BYTES) {
        @Override
        void addRandom(Random random, ByteBuffer bytes) {
            bytes.putFloat((float) random.nextGaussian());
        }

        @Override
        void move(ByteBuffer bytes, ArrayNode json) {
            json.add(bytes.getFloat());
        }
    },
    FP64(Double.BYTES) {
        @Override
        void addRandom(Random random, ByteBuffer bytes) {
            bytes.putDouble(random.nextGaussian());
        }

        @Override
        void move(ByteBuffer bytes, ArrayNode json) {
            json.add(bytes.getDouble());
        }
    },
    UINT8(Byte.BYTES) {
        @Override
        void addRandom(Random random, ByteBuffer bytes) {
            bytes.put((byte) random.nextInt(WHOLE));
        }

        @Override
        void move(ByteBuffer bytes, ArrayNode json) {
            json.add(Byte.toUnsignedInt(bytes.get()));
        }
    },
    INT32(Integer.BYTES) {
        @Override
        void addRandom(Random random, ByteBuffer bytes) {
            bytes.putInt(random.nextInt(WHOLE));
        }

        @Override
        void move(ByteBuffer bytes, ArrayNode json) {
            json.add(bytes.getInt());
        }
    },
    INT64(Long.BYTES) {
        @Override
        void addRandom(Random random, ByteBuffer bytes) {
            bytes.putLong(random.nextInt(WHOLE));
        }

        @Override
        void move(ByteBuffer bytes, ArrayNode json) {
            json.add(bytes.getLong());
        }
    };

    private static final int WHOLE = 256;

    /** Size of a value in the binary tensor data extension, which is little-endian. */
    final int length;

    Datatype(int length) {
        this.length = length;
    }

    abstract void addRandom(Random random, ByteBuffer bytes);

    /** Moves the next value of the bytes to the end of the array. */
    abstract void move(ByteBuffer bytes, ArrayNode json);
}
