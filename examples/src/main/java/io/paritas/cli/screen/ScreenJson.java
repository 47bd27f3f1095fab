/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.screen;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paritas.cli.machine.Machine;
import io.paritas.inference.screen.exercise.ProcessorResult;
import io.paritas.inference.screen.exercise.WrongResult;
import java.time.Instant;
import java.util.List;

/** The result of a screen as JSON. */
final class ScreenJson {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private ScreenJson() {}

    static String of(List<ProcessorResult> results) throws JsonProcessingException {
        ObjectNode root = JSON.createObjectNode();
        root.put("time", Instant.now().toString()).put("machine", Machine.description());
        ArrayNode processors = root.putArray("processors");
        for (ProcessorResult result : results) {
            ObjectNode processor = processors.addObject();
            processor
                    .put("processor", result.processor())
                    .put("pinned", result.pinned())
                    .putPOJO("runs", result.runs())
                    .put("wrong", result.wrong());
            ArrayNode first = processor.putArray("first");
            for (WrongResult wrong : result.first()) {
                first.addObject()
                        .put("exercise", wrong.exercise())
                        .put("input", wrong.pattern())
                        .put("index", wrong.index())
                        .put("expected", Integer.toHexString(wrong.expected()))
                        .put("actual", Integer.toHexString(wrong.actual()))
                        .put("flipped", Integer.toBinaryString(wrong.flipped()));
            }
        }
        return JSON.writeValueAsString(root);
    }
}
