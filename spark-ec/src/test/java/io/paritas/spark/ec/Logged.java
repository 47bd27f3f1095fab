/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** What a class logs, until this is closed: each level and its text. */
public final class Logged implements AutoCloseable {
    private final Logger logger;
    private final Level before;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final AbstractAppender appender = new AbstractAppender("logged", null, null, true, Property.EMPTY_ARRAY) {
        @Override
        public void append(LogEvent event) {
            lines.add(event.getLevel() + " " + event.getMessage().getFormattedMessage());
        }
    };

    public Logged(String name) {
        logger = (Logger) LogManager.getLogger(name);
        before = logger.getLevel();
        appender.start();
        logger.addAppender(appender);
        logger.setLevel(Level.ALL);
    }

    public List<String> lines() {
        return lines;
    }

    @Override
    public void close() {
        logger.removeAppender(appender);
        logger.setLevel(before);
    }
}
