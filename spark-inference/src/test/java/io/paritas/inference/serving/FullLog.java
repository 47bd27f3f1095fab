/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** Each line of a class's log fails, as on a full heap. */
final class FullLog extends AbstractAppender implements AutoCloseable {
    private final Logger logger;
    private final Level before;

    FullLog(Class<?> of) {
        super("full", null, null, false, Property.EMPTY_ARRAY);
        logger = (Logger) LogManager.getLogger(of);
        before = logger.getLevel();
        start();
        logger.addAppender(this);
        logger.setLevel(Level.ALL);
    }

    @Override
    public void append(LogEvent event) {
        throw new OutOfMemoryError("thrown on purpose by the log");
    }

    @Override
    public void close() {
        logger.removeAppender(this);
        logger.setLevel(before);
    }
}
