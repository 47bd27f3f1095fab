/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;

/**
 * Parses the JSON of a request without the values of its inputs, which it counts and passes over: their arrays are empty for who reads.
 * Of the rest there may be so much only, because a tree of it needs far more memory than it has bytes.
 */
final class Outline extends JsonParserDelegate {
    /** The most tokens beside the values. */
    static final int MOST_TOKENS = 10_000;

    private int tokens;
    private boolean atData;
    private int arrays;
    private long values;

    Outline(JsonParser parser) {
        super(parser);
    }

    /** Whether the array that has just begun is the data of an input. */
    static boolean isData(JsonStreamContext array) {
        JsonStreamContext input = array.getParent();
        JsonStreamContext inputs = input.getParent(); // null if the array is the root
        return inputs != null
                && "data".equals(input.getCurrentName())
                && inputs.inArray()
                && "inputs".equals(inputs.getParent().getCurrentName())
                && inputs.getParent().getParent() != null
                && inputs.getParent().getParent().inRoot();
    }

    /** How many arrays of values there are: more than inputs, if a name is there twice. */
    int arrays() {
        return arrays;
    }

    /** How many values the last of these arrays has. */
    long values() {
        return values;
    }

    @Override
    public JsonToken nextToken() throws IOException {
        if (atData) {
            atData = false;
            arrays++;
            return pass();
        }
        JsonToken token = next();
        atData = token == JsonToken.START_ARRAY && isData(getParsingContext());
        return token;
    }

    private JsonToken next() throws IOException {
        tokens++;
        if (tokens > MOST_TOKENS) {
            throw Problem.badRequest("the JSON must have at most " + MOST_TOKENS
                    + " names, values, and ends of objects and arrays beside the values of its inputs, got more");
        }
        return super.nextToken();
    }

    /** Counts the values up to the end of the array. An object among them, which is none, is not passed over for nothing. */
    private JsonToken pass() throws IOException {
        values = 0;
        for (int depth = 1; depth > 0; ) {
            JsonToken token = super.nextToken();
            if (token == JsonToken.START_ARRAY) {
                depth++;
            } else if (token == JsonToken.END_ARRAY) {
                depth--;
            } else {
                values++;
                if (token == JsonToken.START_OBJECT) {
                    passObject();
                }
            }
        }
        return JsonToken.END_ARRAY;
    }

    private void passObject() throws IOException {
        for (int depth = 1; depth > 0; ) {
            JsonToken token = next();
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        }
    }
}
