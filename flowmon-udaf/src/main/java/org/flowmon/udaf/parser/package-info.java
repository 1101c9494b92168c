/**
 * From the text of the dialect to {@link org.flowmon.udaf.query.Query}; start reading at {@link
 * QueryParser}.
 */
package org.flowmon.udaf.parser;
