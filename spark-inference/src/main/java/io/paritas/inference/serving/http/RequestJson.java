/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The JSON of a request: a small tree, and the values of its input, which are read by themselves when it is known how many there must be.
 *
 * @param bytes of a body
 * @param length how many of them are the JSON
 * @param tree in which the values are left out
 * @param outline with which the tree was read
 */
record RequestJson(byte[] bytes, int length, ObjectNode tree, Outline outline) {

    /** A value of a tensor, as a model takes it. */
    @FunctionalInterface
    interface Value {
        float of(JsonParser atValue) throws IOException;
    }

    /** @throws Problem if it is no JSON object, or has too much beside the values */
    static RequestJson read(byte[] bytes, int length) {
        try (Outline outline = new Outline(Json.parser(bytes, length))) {
            return new RequestJson(bytes, length, Json.object(outline, bytes, length), outline);
        } catch (IOException e) {
            throw Json.problem(e);
        }
    }

    /** How many values the input has. */
    long values() {
        return outline.values();
    }

    /** The values of the input, which are as many as these rows have. */
    List<float[]> rows(int rows, int size, Value value) {
        try (JsonParser parser = Json.parser(bytes, length)) {
            toValues(parser);
            List<float[]> all = new ArrayList<>(rows);
            for (int row = 0; row < rows; row++) {
                float[] one = new float[size];
                for (int i = 0; i < size; i++) {
                    while (!parser.nextToken().isScalarValue() && parser.currentToken() != JsonToken.START_OBJECT) {
                        // an array begins or ends: values may be nested as their shape is, or otherwise
                    }
                    one[i] = value.of(parser);
                }
                all.add(one);
            }
            return all;
        } catch (IOException e) {
            throw Json.problem(e);
        }
    }

    /* Where a name is there twice, the last one counts, as in the tree. */
    private void toValues(JsonParser parser) throws IOException {
        for (int left = outline.arrays(); left > 0; ) {
            if (parser.nextToken() == JsonToken.START_ARRAY && Outline.isData(parser.getParsingContext())) {
                left--;
                if (left > 0) {
                    parser.skipChildren();
                }
            }
        }
    }
}
