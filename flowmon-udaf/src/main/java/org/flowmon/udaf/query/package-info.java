/**
 * The query dialect: text to {@link org.flowmon.udaf.query.FlowQuery}, parameters, constraints,
 * results.
 */
package org.flowmon.udaf.query;
