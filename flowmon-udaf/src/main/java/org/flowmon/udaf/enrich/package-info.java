/**
 * Columns that are joined to flows when these are read: an address's country or network, an
 * interface's name. {@link org.flowmon.udaf.enrich.Enrichment} gives the tables, a query holds
 * them.
 */
@NullMarked
package org.flowmon.udaf.enrich;

import org.jspecify.annotations.NullMarked;
