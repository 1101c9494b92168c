/**
 * In which order rows and groups come: sorting, the first of many, and what cannot be among them.
 */
package org.flowmon.udaf.order;
