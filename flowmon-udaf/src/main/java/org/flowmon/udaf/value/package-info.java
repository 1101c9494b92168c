/** Typed values: constants and parameters of queries, and the tables of their results. */
package org.flowmon.udaf.value;
