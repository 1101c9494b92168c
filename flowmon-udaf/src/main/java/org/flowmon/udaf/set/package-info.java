/**
 * Fixed sets of numbers and addresses: disjoint ranges to compute with, and tables to look rows up
 * in.
 */
package org.flowmon.udaf.set;
