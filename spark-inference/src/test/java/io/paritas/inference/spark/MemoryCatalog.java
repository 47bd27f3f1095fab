/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsDeleteV2;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.catalog.TableInfo;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.RowLevelOperation;
import org.apache.spark.sql.connector.write.RowLevelOperationBuilder;
import org.apache.spark.sql.connector.write.RowLevelOperationInfo;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Tables in the memory of this JVM whose rows can be deleted, updated and merged: the whole table is written anew, as other catalogs
 * write files anew. A table would also delete by filters of Spark's, and may be told which rows are wanted while it is read.
 */
public final class MemoryCatalog implements TableCatalog {
    private static final Map<String, List<InternalRow>> ROWS = new ConcurrentHashMap<>();
    private static final Map<String, Set<Long>> WANTED = new ConcurrentHashMap<>();

    private final Map<String, Table> tables = new ConcurrentHashMap<>();
    private String name;

    @Override
    public void initialize(String catalog, CaseInsensitiveStringMap options) {
        name = catalog;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Identifier[] listTables(String[] namespace) {
        return tables.keySet().stream()
                .map(table -> Identifier.of(namespace, table))
                .toArray(Identifier[]::new);
    }

    @Override
    public Table loadTable(Identifier table) throws NoSuchTableException {
        Table found = tables.get(table.name());
        if (found == null) {
            throw new NoSuchTableException(table);
        }
        return found;
    }

    @Override
    public Table createTable(Identifier table, TableInfo info) {
        return createTable(table, info.columns(), info.partitions(), info.properties());
    }

    @Override
    public Table createTable(
            Identifier table, Column[] columns, Transform[] partitions, Map<String, String> properties) {
        StructType schema = new StructType();
        for (Column column : columns) {
            schema = schema.add(column.name(), column.dataType(), column.nullable());
        }
        ROWS.put(table.name(), List.of());
        WANTED.remove(table.name());
        tables.put(table.name(), new MemoryTable(table.name(), columns, schema));
        return tables.get(table.name());
    }

    @Override
    public Table alterTable(Identifier table, TableChange... changes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean dropTable(Identifier table) {
        return tables.remove(table.name()) != null;
    }

    @Override
    public void renameTable(Identifier from, Identifier to) {
        throw new UnsupportedOperationException();
    }

    /** The {@code id} of those rows of a table whose files the last statement wanted to write anew; null if it has not said so. */
    static Set<Long> wanted(String table) {
        return WANTED.get(table);
    }

    private record MemoryTable(String name, Column[] columns, StructType schema)
            implements SupportsRead,
                    SupportsWrite,
                    SupportsRowLevelOperations,
                    SupportsDeleteV2,
                    SupportsMetadataColumns {
        @Override
        public MetadataColumn[] metadataColumns() {
            return new MetadataColumn[] {new PartColumn()};
        }

        @Override
        public Set<TableCapability> capabilities() {
            return Set.of(TableCapability.BATCH_READ, TableCapability.BATCH_WRITE);
        }

        @Override
        public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
            return () -> new MemoryScan(name, schema);
        }

        @Override
        public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
            return new MemoryWrite(name, false);
        }

        @Override
        public RowLevelOperationBuilder newRowLevelOperationBuilder(RowLevelOperationInfo info) {
            return () -> new RowLevelOperation() {
                @Override
                public Command command() {
                    return info.command();
                }

                @Override
                public NamedReference[] requiredMetadataAttributes() {
                    return new NamedReference[] {Expressions.column(PartColumn.NAME)};
                }

                @Override
                public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
                    return () -> new MemoryScan(name, schema.add(PartColumn.NAME, DataTypes.IntegerType));
                }

                @Override
                public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
                    return new MemoryWrite(name, true);
                }
            };
        }

        /** What other catalogs do where whole files go: no filter is left that a model would be needed for. */
        @Override
        public void deleteWhere(Predicate[] all) {
            ROWS.put(name, List.of());
        }
    }

    /** Which part a row is of. Spark 4.1 writes wrong rows to a table that has no such column (SPARK-56510). */
    private record PartColumn() implements MetadataColumn {
        private static final String NAME = "_part";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public DataType dataType() {
            return DataTypes.IntegerType;
        }
    }

    private record MemoryScan(String name, StructType readSchema) implements Batch, SupportsRuntimeV2Filtering {
        @Override
        public Batch toBatch() {
            return this;
        }

        @Override
        public InputPartition[] planInputPartitions() {
            return new InputPartition[] {new Part(name, 0), new Part(name, 1)};
        }

        @Override
        public PartitionReaderFactory createReaderFactory() {
            return part -> new Reader((Part) part);
        }

        @Override
        public NamedReference[] filterAttributes() {
            return new NamedReference[] {Expressions.column("id")};
        }

        @Override
        public void filter(Predicate[] wanted) {
            WANTED.put(
                    name,
                    Arrays.stream(wanted)
                            .flatMap(in -> Arrays.stream(in.children()).skip(1))
                            .map(id -> ((Literal<?>) id).value())
                            .map(Long.class::cast)
                            .collect(Collectors.toSet()));
        }
    }

    /** Every second row of a table, from the first or the second one. */
    private record Part(String name, int first) implements InputPartition {}

    /** Gives each row with its part after it, which Spark reads only where it has asked for that column. */
    private static final class Reader implements PartitionReader<InternalRow> {
        private final List<InternalRow> rows;
        private final InternalRow part;
        private int next;

        Reader(Part part) {
            rows = ROWS.get(part.name());
            this.part = new GenericInternalRow(new Object[] {part.first()});
            next = part.first() - 2;
        }

        @Override
        public boolean next() {
            next += 2;
            return next < rows.size();
        }

        @Override
        public InternalRow get() {
            return new JoinedRow(rows.get(next), part);
        }

        @Override
        public void close() {}
    }

    private record MemoryWrite(String name, boolean replaces) implements WriteBuilder, Write, BatchWrite {
        @Override
        public Write build() {
            return this;
        }

        @Override
        public BatchWrite toBatch() {
            return this;
        }

        @Override
        public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
            return (partition, task) -> new Writer();
        }

        @Override
        public void commit(WriterCommitMessage[] messages) {
            List<InternalRow> rows = new ArrayList<>(replaces ? List.of() : ROWS.get(name));
            for (WriterCommitMessage message : messages) {
                rows.addAll(((Written) message).rows());
            }
            ROWS.put(name, rows);
        }

        @Override
        public void abort(WriterCommitMessage[] messages) {}
    }

    private record Written(ArrayList<InternalRow> rows) implements WriterCommitMessage {}

    private static final class Writer implements DataWriter<InternalRow> {
        private final ArrayList<InternalRow> rows = new ArrayList<>();

        @Override
        public void write(InternalRow row) {
            rows.add(row.copy());
        }

        @Override
        public WriterCommitMessage commit() {
            return new Written(rows);
        }

        @Override
        public void abort() {}

        @Override
        public void close() {}
    }
}
