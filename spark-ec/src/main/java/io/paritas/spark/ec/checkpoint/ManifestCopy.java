/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.UnitsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * The copy of a manifest in one of the directories, as JSON. Its last field, {@code crc32c}, is the checksum of the bytes before
 * that field's comma.
 *
 * @param manifest the manifest, the same in all copies
 * @param directory number of the directory
 */
record ManifestCopy(Manifest manifest, int directory) {
    private static final int VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CHECKSUM = ",\"crc32c\":\"";
    private static final int SEAL_LENGTH = CHECKSUM.length() + 8 + "\"}".length();

    ManifestCopy {
        if (directory < 0 || directory >= manifest.directories()) {
            throw new IllegalArgumentException(
                    "directory must be 0 to " + (manifest.directories() - 1) + ", got " + directory);
        }
    }

    /** The bytes of the copy. */
    byte[] encoded() {
        ObjectNode fields = JSON.createObjectNode();
        fields.put("format", VERSION);
        fields.put("id", manifest.id());
        fields.put("directory", directory);
        fields.put("directories", manifest.directories());
        fields.put("code", manifest.code().toString());
        fields.put("chunk", manifest.chunk().bytes());
        fields.put("compression", manifest.compression().codec());
        fields.put("sparkVersion", manifest.sparkVersion());
        ArrayNode replaces = fields.putArray("replaces");
        manifest.replaces().forEach(replaces::add);
        fields.put("layout", manifest.content().layout());
        if (manifest.content() instanceof Content.Rows rows) {
            fields.put("schema", rows.schema().json());
        }
        ArrayNode parts = fields.putArray("parts");
        for (Part part : manifest.parts()) {
            parts.addObject()
                    .put("group", part.group().toString())
                    .put("length", part.length())
                    .put("count", part.count());
        }
        String text = fields.toString();
        byte[] body = text.substring(0, text.length() - 1).getBytes(StandardCharsets.UTF_8);
        byte[] seal = seal(body, body.length);
        byte[] all = new byte[body.length + seal.length];
        System.arraycopy(body, 0, all, 0, body.length);
        System.arraycopy(seal, 0, all, body.length, seal.length);
        return all;
    }

    /**
     * Reads a copy.
     *
     * @throws UnitsException if it is intact, but of a newer version
     * @throws IOException if it is damaged
     */
    static ManifestCopy decode(byte[] bytes) throws IOException {
        int length = bytes.length - SEAL_LENGTH;
        if (length < 0 || !new String(seal(bytes, length), StandardCharsets.UTF_8).equals(text(bytes, length))) {
            throw new IOException("wrong checksum");
        }
        try {
            return decode(JSON.readTree(bytes));
        } catch (JsonProcessingException | RuntimeException e) {
            throw new IOException("not understood: " + e.getMessage(), e);
        }
    }

    private static String text(byte[] bytes, int from) {
        return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    }

    private static ManifestCopy decode(JsonNode fields) throws UnitsException {
        int version = fields.required("format").asInt();
        if (version != VERSION) {
            throw new UnitsException(
                    "the manifest must have version " + VERSION + ", got " + version + ": use a newer Paritas");
        }
        List<String> replaces = new ArrayList<>();
        fields.required("replaces").forEach(id -> replaces.add(id.asText()));
        Manifest manifest = new Manifest(
                fields.required("id").asText(),
                replaces,
                CodeName.parse(fields.required("code").asText()),
                new ChunkSize(fields.required("chunk").asInt()),
                fields.required("directories").asInt(),
                new Compression(fields.required("compression").asText()),
                fields.required("sparkVersion").asText(),
                content(fields),
                parts(fields.required("parts")));
        return new ManifestCopy(manifest, fields.required("directory").asInt());
    }

    private static Content content(JsonNode fields) {
        String layout = fields.required("layout").asText();
        return fields.has("schema")
                ? new Content.Rows(layout, (StructType)
                        DataType.fromJson(fields.required("schema").asText()))
                : new Content.Elements(layout);
    }

    private static List<Part> parts(JsonNode list) {
        List<Part> parts = new ArrayList<>();
        for (JsonNode part : list) {
            parts.add(new Part(
                    parts.size(),
                    UUID.fromString(part.required("group").asText()),
                    part.required("length").asLong(),
                    part.required("count").asLong()));
        }
        return parts;
    }

    private static byte[] seal(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return String.format(Locale.ROOT, "%s%08x\"}", CHECKSUM, crc.getValue()).getBytes(StandardCharsets.UTF_8);
    }
}
