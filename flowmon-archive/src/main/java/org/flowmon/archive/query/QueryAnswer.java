package org.flowmon.archive.query;

import org.flowmon.udaf.query.ResultTable;

/** A query's rows, and what was read for them. */
public record QueryAnswer(ResultTable table, QueryStats stats) {}
