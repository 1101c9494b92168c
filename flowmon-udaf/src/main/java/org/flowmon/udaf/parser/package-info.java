/**
 * From the text of the dialect to {@link org.flowmon.udaf.query.Query}; {@link QueryParser} is
 * where to begin.
 */
package org.flowmon.udaf.parser;
