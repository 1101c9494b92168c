/** The order of rows and groups: sorting, the first of many, and bounds on the first ones. */
package org.flowmon.udaf.order;
