package org.flowmon.bench.systems;

import java.util.List;
import java.util.Map;

/**
 * What differs between databases.
 *
 * @param settings of the server, or of the connection to a file
 * @param types by the values of fields, then by the {@linkplain FlowField.Kind#label kind}
 * @param slot an expression of the begin of a flow's slot, in seconds, by the values of fields
 * @param empty statements that remove the table
 * @param loaded statements after the last row, until all is in the table's files
 * @param bytes a query of the bytes of the table and its indexes
 * @param version a query of the version
 */
record Database(
    String name,
    Map<String, String> settings,
    Map<String, Map<String, String>> types,
    Map<String, String> slot,
    List<String> empty,
    List<String> loaded,
    String bytes,
    String version) {}
