package org.flowmon.udaf.query;

/**
 * One column of a query's result.
 *
 * @param name the alias, or the column's name, or the item's text
 */
public record SelectItem(String name, Selected what) {}
