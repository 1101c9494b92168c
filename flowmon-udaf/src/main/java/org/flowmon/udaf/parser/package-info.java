/**
 * From the text of the dialect to {@link org.flowmon.udaf.query.Query}; start reading at {@link
 * QueryParser}.
 */
@NullMarked
package org.flowmon.udaf.parser;

import org.jspecify.annotations.NullMarked;
