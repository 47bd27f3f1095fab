/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

import io.paritas.inference.spark.TestLine;
import io.paritas.inference.spark.driver.TaskMessage.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A line to nobody: keeps what is said, and answers what it was told to. */
public final class RecordingLine extends TestLine {
    private final List<long[]> said = new ArrayList<>();
    private final Function<long[], long[]> answers;

    public RecordingLine(Function<long[], long[]> answers) {
        super("0");
        this.answers = answers;
    }

    /** The messages so far, questions and others. */
    List<long[]> said() {
        return said;
    }

    /** What the messages so far were about. */
    public List<String> kinds() {
        return said.stream()
                .map(message -> TaskMessage.decode(message).kind().name())
                .toList();
    }

    /** Whether the attempts that have ended succeeded, as they said. */
    public List<Boolean> ends() {
        return said.stream()
                .map(TaskMessage::decode)
                .filter(message -> message.kind() == Kind.END)
                .map(message -> message.argument() == 1)
                .toList();
    }

    @Override
    public Object ask(Object message) {
        send(message);
        return answers.apply((long[]) message);
    }

    @Override
    public void send(Object message) {
        said.add((long[]) message);
    }
}
